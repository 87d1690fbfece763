import { ServerResponse } from "node:http"
import { heartbeat } from "./eventEncoding.ts"

/** The interval at which the `tick` method of each reader is called, in ms. */
export const tickMs = 5_000
/**
 * The interval in ms at which the permissions of readers are checked. A stream ends within 2 s after its reader loses
 * the permission.
 */
export const permissionCheckMs = 1_000
/** The number of 5 s ticks between two heartbeats. */
const heartbeatTicks = 3
/** The number of 5 s ticks after which a socket that accepts no data is closed. */
const maxBlockedTicks = 6

/** An event that is sent to a reader. The number of each event is higher than the number of the event before. */
export interface StreamEvent {
  readonly sequence: number
  readonly bytes: Uint8Array
}

/** A reader of a log: a Node response whose headers have been written, and the number of the last written event. */
export class SocketReader {
  /** The number of the last event that was written to the socket, or that the client already had. */
  lastSent: number
  readonly #response: ServerResponse
  readonly #onEnd: (reader: SocketReader) => void
  readonly #onClose = () => this.#release()
  readonly #onClientEnd = () => this.end()
  readonly #onDrain = () => {
    this.#isBlocked = false
    this.#blockedTicks = 0
    this.onWritable?.(this)
  }
  #isBlocked = false
  #blockedTicks = 0
  #idleTicks = 0
  #hasEnded = false
  /** The callback that is called when the socket accepts data again. */
  onWritable: ((reader: SocketReader) => void) | undefined = undefined

  /**
   * Calls `onEnd` once when the response ends or the client disconnects. Also calls `onEnd` on half-closed connections.
   */
  constructor(response: ServerResponse, lastSent: number, onEnd: (reader: SocketReader) => void) {
    this.lastSent = lastSent
    this.#response = response
    this.#onEnd = onEnd
    response.on("drain", this.#onDrain).on("close", this.#onClose)
    // Sends the headers at once, so that a client that waits for the first event knows that it is admitted. Headers
    // that are sent together with data also stay in memory for as long as the response lasts.
    response.flushHeaders()
    // A client that closed its sending side may no longer read. Responses to later requests wait for the end of the
    // stream.
    const { socket } = response.req
    if (socket.readableEnded) this.end()
    else socket.once("end", this.#onClientEnd)
  }

  /** Whether the buffer of the socket is full. The reader writes no further data to a full buffer. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  get hasEnded(): boolean {
    return this.#hasEnded || this.#response.destroyed
  }

  /** Writes an event to the response. Node sends all data of one event-loop turn together. */
  write({ bytes, sequence }: StreamEvent): void {
    // Writing to a destroyed response would emit an error without a listener.
    if (this.hasEnded) return
    this.#idleTicks = 0
    this.lastSent = sequence
    if (!this.#response.write(bytes)) this.#isBlocked = true
  }

  /** Sends heartbeats, and closes a socket that accepts no data. */
  tick(): void {
    if (this.hasEnded) return
    if (this.#isBlocked) {
      if (++this.#blockedTicks >= maxBlockedTicks) this.disconnect()
    } else if (++this.#idleTicks >= heartbeatTicks) {
      this.#idleTicks = 0
      if (!this.#response.write(heartbeat)) this.#isBlocked = true
    }
  }

  end(): void {
    if (this.#hasEnded) return
    this.#release()
    ServerResponse.prototype.end.bind(this.#response)()
  }

  /** Breaks the connection, so that the client detects that the response is incomplete. */
  disconnect(): void {
    this.#release()
    this.#response.destroy()
  }

  #release(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#response.off("drain", this.#onDrain).off("close", this.#onClose)
    this.#response.req.socket.off("end", this.#onClientEnd)
    this.#onEnd(this)
  }
}
