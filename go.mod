module leadline

go 1.26.0
