// A bot for the Tacocat arena. This file is how it talks: one DEALER socket, one message a frame, from hello to bye.
package main

import (
	"log"
	"os"
	"syscall"
	"time"

	zmq "github.com/pebbe/zmq4"
	"github.com/vmihailenco/msgpack/v5"
)

const (
	// How often an idle bot looks whether the arena is still there.
	tick = time.Second

	// Matches at once. The bot answers one request after the other all the same: an answer depends on its request alone
	// and takes some microseconds, so that a request which waits for fifteen others loses no time that a clock could see.
	concurrency = 16
)

func main() {
	log.SetFlags(0)
	endpoint, token := os.Getenv("ARENA_ENDPOINT"), os.Getenv("ARENA_TOKEN")
	if endpoint == "" || token == "" {
		log.Print("This is a bot: it plays when the arena starts it, with ARENA_ENDPOINT and ARENA_TOKEN set.\n" +
			"Name its command in a config and use `arena run CONFIG`, or try `arena match BOT BOT`.")
		os.Exit(2)
	}
	if err := serve(endpoint, token); err != nil {
		log.Fatal(err)
	}
}

// serve plays every match that the arena brings; it returns at its bye, or when it is gone.
func serve(endpoint, token string) error {
	parent := os.Getppid()
	socket, err := connect(endpoint)
	if err != nil {
		return err
	}
	defer socket.Close()
	hello := Hello{
		Type: "hello", Protocol: 1, Token: token,
		Name: "Thoughtful in Go", Language: "go", Version: "1.0.0", Concurrency: concurrency,
	}
	if err := send(socket, &hello); err != nil {
		return err
	}
	for {
		frame, err := socket.RecvBytes(0)
		if zmq.AsErrno(err) == zmq.Errno(syscall.EAGAIN) {
			if os.Getppid() != parent {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		message, err := decode(frame)
		if err != nil {
			log.Printf("ignored a frame that cannot be read: %v", err)
		}
		switch message := message.(type) { // bots that keep memory want the other messages too
		case *Request:
			action := Action{Type: "action", Match: message.Match, Request: message.Request, Action: choose(message)}
			if err := send(socket, &action); err != nil {
				return err
			}
		case *Error:
			log.Printf("the arena objects: %s (%s)", message.Message, message.Code)
		case *Bye:
			return nil
		}
	}
}

func connect(endpoint string) (*zmq.Socket, error) {
	socket, err := zmq.NewSocket(zmq.DEALER)
	if err != nil {
		return nil, err
	}
	if err := socket.SetRcvtimeo(tick); err != nil {
		return nil, err
	}
	return socket, socket.Connect(endpoint)
}

func send(socket *zmq.Socket, message any) error {
	frame, err := msgpack.Marshal(message)
	if err != nil {
		return err
	}
	_, err = socket.SendBytes(frame, 0)
	return err
}
