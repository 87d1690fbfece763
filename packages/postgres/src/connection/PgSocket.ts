import { connect, Socket } from "node:net"
import { Duplex } from "node:stream"
import { connect as secure } from "node:tls"
import type { Address } from "./address.ts"
import { AnswerWatch } from "./AnswerWatch.ts"

/** What the sessions of one client have in common. */
export interface Wiring {
  readonly address: Address
  /** How long a statement may take; no bound when undefined. */
  readonly answerWithinMs: number | undefined
  /**
   * The server ends by itself what is late (`statement_timeout`), so that nothing is cancelled from here: a request
   * that comes when the server has just done so hits what runs next.
   */
  readonly serverEndsLate: boolean
  /** The sessions that are open. */
  readonly open: Set<PgSocket>
  /** The server had not a word for one who connected: until then, by a clock that nobody sets, none is tried again. */
  silentUntil: number
}

/** A failure on the way to the server, with a code by which it is told apart. */
const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const cancelHead = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e])

const keepAliveAfterMs = 10_000
const cancelWithinMs = 5_000
/** How long a closing connection waits for its peer to close too. */
const closeWithinMs = 1_000
/** A server that lets one who connects wait for so long, until that one gives up, without a word, is silent. */
const silentAfterMs = 500
/**
 * For so long the next who connect are told so at once. A pool makes one connection at a time for all who wait, and
 * tells one of them when it fails: each of them would wait for a silence of its own, one after the other.
 */
const silentForMs = 500

/**
 * The way to a PostgreSQL server, for a client that speaks the protocol: TCP with keepalive or a socket in the file
 * system, TLS as the address asks for it, and a deadline for each statement. A statement that is late is cancelled at
 * the server, unless that does so by itself; until the request has been heard nothing more is sent, for the request is
 * to a session, and hits whatever that runs. A session that does not answer even then is destroyed, and fails all that
 * waits on it. A peer that is silent on one session is so on all, so those that lie idle are given up too.
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

  /** What is not heard of the wire is lost with it. */
  #follow(): void {
    this.#wire.on("error", (cause) => this.destroy(cause)).on("close", this.#closed)
  }

  readonly #closed = (): void => void this.destroy()

  #askForTls(tls: NonNullable<Address["tls"]>): void {
    const raw = this.#wire
    raw.once("data", (answer) => {
      this.#heard = true
      raw.pause()
      // More than one byte would be words of somebody in between, sent before the line was safe.
      if (answer.length === 1 && answer[0] === "S".charCodeAt(0)) return this.#secure(raw, tls)
      if (answer.length === 1 && answer[0] === "N".charCodeAt(0)) {
        if (tls.optional) return this.#begin()
        return this.destroy(failure("TLS_NOT_SPOKEN", "The server does not speak TLS"))
      }
      // A server that refuses this client at once says so in the protocol's words, which the client understands.
      if (answer[0] !== "E".charCodeAt(0)) {
        return this.destroy(failure("NOT_POSTGRESQL", "The server does not speak PostgreSQL's protocol"))
      }
      this.#begin()
      this.push(answer)
    })
    raw.write(sslRequest)
  }

  #secure(raw: Socket, tls: NonNullable<Address["tls"]>): void {
    // The certificate's fault is told by what is laid over it, after it has closed.
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
    // The server closes once it has done what was asked. A request that got lost on its way might still arrive.
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
