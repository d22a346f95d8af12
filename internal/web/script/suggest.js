// suggest
