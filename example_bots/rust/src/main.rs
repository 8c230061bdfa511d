//! How the bot talks to the arena: one DEALER socket, one message a frame, from hello to bye.

use std::env;
use std::error::Error;
use std::os::unix::process::parent_id;
use std::process::ExitCode;

use bot::messages::{Action, Hello, Message};
use bot::strategy::choose;

/// How often an idle bot looks whether the arena is still there.
const TICK_MS: i32 = 1000;

fn main() -> ExitCode {
    let (Ok(endpoint), Ok(token)) = (env::var("ARENA_ENDPOINT"), env::var("ARENA_TOKEN")) else {
        eprintln!(
            "This is a bot: it plays when the arena starts it, with ARENA_ENDPOINT and \
             ARENA_TOKEN set.\nName its command in a config and use `arena run CONFIG`, or try \
             `arena match BOT BOT`."
        );
        return ExitCode::from(2);
    };
    match serve(&endpoint, token) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Play every match that the arena brings; returns at its bye, or when it is gone.
fn serve(endpoint: &str, token: String) -> Result<(), Box<dyn Error>> {
    let parent = parent_id();
    let context = zmq::Context::new();
    let socket = context.socket(zmq::DEALER)?;
    socket.set_rcvtimeo(TICK_MS)?;
    socket.set_linger(0)?; // what is unsent at the end, nobody waits for
    socket.connect(endpoint)?;
    send(&socket, &Message::Hello(hello(token)))?;
    loop {
        let frame = match socket.recv_bytes(0) {
            Ok(frame) => frame,
            Err(zmq::Error::EAGAIN | zmq::Error::EINTR) if parent_id() == parent => continue,
            Err(zmq::Error::EAGAIN | zmq::Error::EINTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        match Message::decode(&frame) {
            Ok(Message::Request(request)) => {
                let action = Action {
                    action: choose(&request),
                    r#match: request.r#match,
                    request: request.request,
                };
                send(&socket, &Message::Action(action))?;
            }
            Ok(Message::Error(error)) => {
                eprintln!("the arena objects: {} ({})", error.message, error.code);
            }
            Ok(Message::Bye(_)) => return Ok(()),
            Ok(_) => {} // for bots that keep memory
            Err(error) => eprintln!("ignored a frame that cannot be read: {error}"),
        }
    }
}

fn hello(token: String) -> Hello {
    Hello {
        protocol: 1,
        token,
        name: Some("Thoughtful in Rust".into()),
        author: None,
        language: Some("rust".into()),
        version: Some(env!("CARGO_PKG_VERSION").into()),
        concurrency: 1,
    }
}

fn send(socket: &zmq::Socket, message: &Message) -> Result<(), Box<dyn Error>> {
    Ok(socket.send(message.encode()?, 0)?)
}
