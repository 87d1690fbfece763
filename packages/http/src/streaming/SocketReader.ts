import { ServerResponse } from "node:http"
import { heartbeat } from "./eventEncoding.ts"

/** How often readers get a `tick`, in ms. */
export const tickMs = 5_000
/**
 * How often the readers' permission is checked, in ms. A stream ends within 2 s after its reader loses the permission.
 */
export const permissionCheckMs = 1_000
/** Ticks between heartbeats: 15 s. */
const heartbeatTicks = 3
/** Ticks after which a socket that accepts nothing is closed: 30 s. */
const maxBlockedTicks = 6

/** An event to send. The numbers of one log increase, by one or more. */
export interface StreamEvent {
  readonly sequence: number
  readonly bytes: Uint8Array
}

/**
 * One reader of a log, on a Node response whose head has been written. Holds a socket and the number of the last event
 * that was written to it. Other code provides the events; a reader stores none of them.
 */
export class SocketReader {
  /** The number of the last event that was written, or that the reader already had. */
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
  /** Called when the socket accepts data again. */
  onWritable: ((reader: SocketReader) => void) | undefined = undefined

  /**
   * `onEnd` is called once: when the reader ends, is cut off or disconnects. If the client closed its side before the
   * head, `onEnd` is called at once.
   */
  constructor(response: ServerResponse, lastSent: number, onEnd: (reader: SocketReader) => void) {
    this.lastSent = lastSent
    this.#response = response
    this.#onEnd = onEnd
    response.on("drain", this.#onDrain).on("close", this.#onClose)
    // Sends the head at once, so that a reader that waits for the first event knows that it is admitted. A head that is
    // sent together with data also stays in memory in many pieces, for as long as the response lasts.
    response.flushHeaders()
    // A client that closed its side may not be reading. Responses to later requests wait for the end of this one.
    const { socket } = response.req
    if (socket.readableEnded) this.end()
    else socket.once("end", this.#onClientEnd)
  }

  /** Whether the socket holds more data than it can send. Nothing is written to it meanwhile. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /** Whether no more data can be written. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.#response.destroyed
  }

  /** Writes an event. Node sends the data of one turn of the event loop together. */
  write({ bytes, sequence }: StreamEvent): void {
    // Node emits an error without a listener if data is written to a destroyed response.
    if (this.hasEnded) return
    this.#idleTicks = 0
    this.lastSent = sequence
    if (!this.#response.write(bytes)) this.#isBlocked = true
  }

  /** Sends heartbeats, and closes a socket that accepts nothing. */
  tick(): void {
    if (this.hasEnded) return
    if (this.#isBlocked) {
      if (++this.#blockedTicks >= maxBlockedTicks) this.disconnect()
    } else if (++this.#idleTicks >= heartbeatTicks) {
      this.#idleTicks = 0
      if (!this.#response.write(heartbeat)) this.#isBlocked = true
    }
  }

  /** Ends the response normally: it is complete as far as it was sent. */
  end(): void {
    if (this.#hasEnded) return
    this.#release()
    ServerResponse.prototype.end.bind(this.#response)()
  }

  /** Breaks the connection, so that the client does not take the events so far for the complete response. */
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
