// near
