import { ServerResponse } from "node:http"
import { heartbeat } from "./eventBytes.ts"

/** How often readers are looked after, in ms. */
export const tickMs = 5_000
/** How often the right of readers is checked, in ms: a stream ends within 2 s after its reader lost the right. */
export const checkMs = 1_000
/** A reader hears something each so many ticks: 15 s. */
const ticksBetweenBeats = 3
/** A socket that takes nothing for so many ticks, 30 s, is closed. */
const patienceTicks = 6

/** An event as it is sent. Numbers of one log grow, by one or by more. */
export interface SentEvent {
  readonly n: number
  readonly bytes: Uint8Array
}

/**
 * One reader of a log, on a response of Node whose head has been written: a socket, and the number of the last event
 * that was written to it. What it is to be written comes from whoever feeds it; it keeps nothing of it.
 */
export class SocketReader {
  /** The number of the last event that was written, or that the reader had already. */
  sent: number
  readonly #response: ServerResponse
  readonly #left: (reader: SocketReader) => void
  readonly #onClose = () => this.#release()
  readonly #onClientEnd = () => this.end()
  readonly #onDrain = () => {
    this.#isBlocked = false
    this.#blockedTicks = 0
    this.onRoom?.(this)
  }
  #isBlocked = false
  #blockedTicks = 0
  #quietTicks = 0
  #isOver = false
  /** Called when the socket takes more again. */
  onRoom: ((reader: SocketReader) => void) | undefined = undefined

  /**
   * `left` is called once, when it ends, is cut off, or hangs up: at once, if the client closed its side before the
   * head.
   */
  constructor(response: ServerResponse, sent: number, left: (reader: SocketReader) => void) {
    this.sent = sent
    this.#response = response
    this.#left = left
    response.on("drain", this.#onDrain).on("close", this.#onClose)
    // At once, so that a reader who waits for the first event knows that it is let in. What is sent off with something
    // else is also kept in the many pieces that it was put together from, for as long as the response lasts.
    response.flushHeaders()
    // A client that closed its side is not known to read. Responses to later requests wait for the end of this one.
    const { socket } = response.req
    if (socket.readableEnded) this.end()
    else socket.once("end", this.#onClientEnd)
  }

  /** True while the socket holds more than it can send, and is given nothing. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /** True when nothing can be written any more. */
  get isOver(): boolean {
    return this.#isOver || this.#response.destroyed
  }

  /** Writes an event. Node has what is written in one turn leave together. */
  write({ bytes, n }: SentEvent): void {
    // Node makes an error, which nobody hears, of what is written to a response that is gone.
    if (this.isOver) return
    this.#quietTicks = 0
    this.sent = n
    if (!this.#response.write(bytes)) this.#isBlocked = true
  }

  /** Keeps it awake, and closes a socket that takes nothing. */
  tick(): void {
    if (this.isOver) return
    if (this.#isBlocked) {
      if (++this.#blockedTicks >= patienceTicks) this.cut()
    } else if (++this.#quietTicks >= ticksBetweenBeats) {
      this.#quietTicks = 0
      if (!this.#response.write(heartbeat)) this.#isBlocked = true
    }
  }

  /** Ends the response: it was whole, as far as it came. */
  end(): void {
    if (this.#isOver) return
    this.#release()
    ServerResponse.prototype.end.bind(this.#response)()
  }

  /** Breaks the connection off, so that nobody takes what came for the whole. */
  cut(): void {
    this.#release()
    this.#response.destroy()
  }

  #release(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#response.off("drain", this.#onDrain).off("close", this.#onClose)
    this.#response.req.socket.off("end", this.#onClientEnd)
    this.#left(this)
  }
}
