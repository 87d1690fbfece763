import { connect, Socket } from "node:net"
import { Duplex } from "node:stream"
import { connect as secure } from "node:tls"
import type { Address } from "./address.ts"
import { AnswerWatch } from "./AnswerWatch.ts"

/** The shared settings and state of one client's sessions. */
export interface Wiring {
  readonly address: Address
  /** The time limit of a statement; no limit if undefined. */
  readonly answerWithinMs: number | undefined
  /**
   * Whether the server itself ends late statements (`statement_timeout`). Nothing is cancelled from here then: a cancel
   * request that arrives just after the server ended a statement would hit the next one.
   */
  readonly serverEndsLate: boolean
  /** The open sessions. */
  readonly open: Set<PgSocket>
  /**
   * The server did not respond to a connection attempt. Until this time of a monotonic clock, new attempts fail at
   * once.
   */
  silentUntil: number
}

/** Makes an error of the connection, with a code that identifies it. */
const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const cancelHead = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e])

const keepAliveAfterMs = 10_000
const cancelWithinMs = 5_000
/** How long a closing connection waits until its peer also closes. */
const closeWithinMs = 1_000
/** A server is silent if it does not respond to a connection attempt for this time, until the attempt is given up. */
const silentAfterMs = 500
/**
 * How long later connection attempts fail at once. A pool makes one connection at a time for all waiting callers, and
 * fails one of them if the attempt fails. Otherwise each caller would wait for its own timeout, one after the other.
 */
const silentForMs = 500

/**
 * The connection to a PostgreSQL server, for a client that implements the protocol: TCP with keepalive or a Unix
 * socket, TLS as the URL requires it, and a deadline for each statement.
 *
 * A late statement is cancelled at the server, unless the server itself ends late statements. Nothing more is sent
 * until the server has received the cancel request, because the request is for a session and hits whatever the session
 * runs. If the session still does not respond, it is destroyed, and all its waiting statements fail. A peer that is
 * silent on one session is silent on all, so idle sessions are destroyed too.
 */
export class PgSocket extends Duplex {
  readonly #wiring: Wiring
  readonly #watch: AnswerWatch | undefined
  #wire: Socket
  #ready = false
  #heard = false
  #cancelling = false
  readonly #openedAt = performance.now()
  #held: { readonly bytes: Buffer; readonly done: (error?: Error | null) => void } | undefined

  constructor(wiring: Wiring) {
    super({ allowHalfOpen: false })
    this.#wiring = wiring
    this.#watch = wiring.answerWithinMs === undefined
      ? undefined
      : new AnswerWatch(wiring.answerWithinMs, {
        late: () => wiring.serverEndsLate ? undefined : this.#cancel(),
        silent: (since) => this.#giveUp(since)
      })
    const { at, tls } = wiring.address
    wiring.open.add(this)
    if (this.#openedAt < wiring.silentUntil) {
      this.#wire = new Socket()
      process.nextTick(() => this.destroy(failure("ETIMEDOUT", "PostgreSQL did not answer a moment ago")))
      return
    }
    this.#wire = connect({ ...at, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveAfterMs })
    this.#follow()
    this.#wire.once("connect", () => tls === null ? this.#begin() : this.#askForTls(tls))
  }

  /** Destroys this stream if the wire fails or closes. */
  #follow(): void {
    this.#wire.on("error", (cause) => this.destroy(cause)).on("close", this.#closed)
  }

  readonly #closed = (): void => void this.destroy()

  #askForTls(tls: NonNullable<Address["tls"]>): void {
    const raw = this.#wire
    raw.once("data", (answer) => {
      this.#heard = true
      raw.pause()
      // More than one byte would be data that an intermediary sent before the connection was secure.
      if (answer.length === 1 && answer[0] === "S".charCodeAt(0)) return this.#secure(raw, tls)
      if (answer.length === 1 && answer[0] === "N".charCodeAt(0)) {
        if (tls.optional) return this.#begin()
        return this.destroy(failure("TLS_NOT_SPOKEN", "The server does not speak TLS"))
      }
      // A server that rejects the client at once sends an error message of the protocol, which the client understands.
      if (answer[0] !== "E".charCodeAt(0)) {
        return this.destroy(failure("NOT_POSTGRESQL", "The server does not speak PostgreSQL's protocol"))
      }
      this.#begin()
      this.push(answer)
    })
    raw.write(sslRequest)
  }

  #secure(raw: Socket, tls: NonNullable<Address["tls"]>): void {
    // The TLS socket reports errors of the certificate, after the raw socket has closed.
    raw.off("close", this.#closed)
    try {
      this.#wire = secure({ ...tls.options(), socket: raw })
    } catch (cause) {
      return void this.destroy(cause instanceof Error ? cause : new Error(String(cause)))
    }
    this.#follow()
    this.#wire.once("secureConnect", () => this.#begin())
  }

  #begin(): void {
    this.#ready = true
    this.#wire.on("data", (piece: Buffer) => {
      this.#heard = true
      this.#watch?.read(piece)
      if (!this.push(piece)) this.#wire.pause()
    })
    this.#wire.resume()
    this.#sendHeld()
  }

  #sendHeld(): void {
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#send(held.bytes, held.done)
  }

  #send(bytes: Buffer, done: (error?: Error | null) => void): void {
    this.#watch?.wrote(bytes)
    if (this.#wire.write(bytes)) done()
    else this.#wire.once("drain", () => done())
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#ready && !this.#cancelling) this.#send(bytes, done)
    else this.#held = { bytes, done }
  }

  override _read(): void {
    if (this.#ready) this.#wire.resume()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#watch?.stop()
    this.#wire.end()
    setTimeout(() => this.destroy(), closeWithinMs).unref()
    done()
  }

  override _destroy(cause: Error | null, done: (error?: Error | null) => void): void {
    this.#watch?.stop()
    this.#wiring.open.delete(this)
    const now = performance.now()
    if (!this.#heard && now - this.#openedAt >= silentAfterMs) this.#wiring.silentUntil = now + silentForMs
    this.#wire.destroy()
    done(cause)
  }

  #cancel(): void {
    const key = this.#watch?.key
    if (key === undefined) return
    const side = new PgSocket({ ...this.#wiring, answerWithinMs: undefined, open: new Set() })
    let [sent, lost] = [false, false]
    const lose = () => void (lost = true)
    const timer = setTimeout(() => side.destroy(failure("ETIMEDOUT", "The request was not heard")), cancelWithinMs)
    this.#cancelling = true
    // The server closes the connection once it has processed the request. A request that got lost might still arrive.
    side.on("error", lose).on("close", () => {
      clearTimeout(timer)
      this.#cancelling = false
      if (sent && lost) this.destroy(failure("ETIMEDOUT", "PostgreSQL did not hear a request to cancel"))
      else if (!this.destroyed) this.#sendHeld()
    }).resume()
    side.write(Buffer.concat([cancelHead, key]), (cause) => void (sent = !cause))
  }

  #giveUp(since: number): void {
    const silent = () => failure("ETIMEDOUT", `PostgreSQL did not answer within ${this.#wiring.answerWithinMs} ms`)
    for (const other of this.#wiring.open) {
      const watch = other.#watch
      if (other !== this && watch !== undefined && !watch.owes && watch.heardAt < since) other.destroy(silent())
    }
    this.destroy(silent())
  }
}
