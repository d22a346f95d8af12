package server

import "net"

// notify sends a state, such as READY=1, to the service manager that started the program, as
// sd_notify(3) describes. Without a service manager it does nothing. A failure is logged: the
// server serves anyway, until the service manager gives up waiting.
func (s *Server) notify(state string) {
	if s.c.NotifySocket == "" {
		return
	}
	if err := sendState(s.c.NotifySocket, state); err != nil {
		s.log.Warn("the service manager was not notified", "state", state, "error", err)
	}
}

// sendState sends a state to a socket. A name that begins with @ is in the abstract namespace.
func sendState(socket, state string) error {
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}
