// fresh
