/**
 * Who is let in. Streams last, so they have a limit of their own below that of connections: however many consoles there are,
 * a short question still finds a place, and whoever finds none is told that the supervisor is busy.
 */
import type http from 'node:http';
import type net from 'node:net';

/** Streams and followed logs at a time; a console has one of each. */
export const MAX_STREAMS = 64;
/** Connections at a time, those that only keep alive included. */
export const MAX_CONNECTIONS = 128;

/** A connection beyond the limit has this long to ask, and hears that the supervisor is busy. */
const ASK_MS = 1_000;

/** A connection that has just been made is about to ask; only later is it one that merely waits. */
const IDLE_MS = 500;

export interface Admission {
  /** False: its request is to be answered with "busy", whatever it is. */
  hasPlace(socket: net.Socket): boolean;
  /** True when one more stream may begin; it ends with the response. */
  takeStream(res: http.ServerResponse): boolean;
}

export interface Limits {
  readonly streams: number;
  readonly connections: number;
}

/** Watches the connections of a server. An idle one gives way to a new one; with none idle the new one hears "busy". */
export function admission(server: http.Server, limits: Limits): Admission {
  /** Connections in the order they came. */
  const open = new Map<net.Socket, { requests: number; idleSinceMs: number }>();
  let streams = 0;

  server.on('connection', (socket: net.Socket) => {
    if (open.size >= limits.connections) {
      const nowMs = performance.now();
      const idle = [...open].find(([, c]) => c.requests === 0 && nowMs - c.idleSinceMs >= IDLE_MS)?.[0];
      if (!idle) {
        setTimeout(() => socket.destroy(), ASK_MS).unref();
        return;
      }
      open.delete(idle);
      idle.destroy();
    }
    open.set(socket, { requests: 0, idleSinceMs: performance.now() });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (req: http.IncomingMessage, res: http.ServerResponse) => {
    const { socket } = req;
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    res.once('close', () => {
      connection.requests -= 1;
      connection.idleSinceMs = performance.now();
    });
  });
  return {
    hasPlace: (socket) => open.has(socket),
    takeStream: (res) => {
      if (streams >= limits.streams) return false;
      streams += 1;
      res.once('close', () => {
        streams -= 1;
      });
      return true;
    },
  };
}
