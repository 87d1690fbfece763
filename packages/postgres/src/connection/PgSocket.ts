import { connect, Socket } from "node:net"
import { Duplex } from "node:stream"
import { connect as secure } from "node:tls"
import type { Address } from "./address.ts"
import { FrameReader, messageType, readField } from "./frames.ts"
import { ResponseWatchdog } from "./ResponseWatchdog.ts"

export interface SharedSocketState {
  readonly address: Address
  /** The time limit of a statement in ms, or undefined for no time limit. */
  readonly responseTimeoutMs: number | undefined
  /**
   * Whether the server itself ends late statements (`statement_timeout`). If the server ends late statements, the
   * client sends no cancel requests. A cancel request that arrives after the server ended a statement would cancel the
   * next statement.
   */
  readonly hasServerTimeout: boolean
  readonly openSockets: Set<PgSocket>
  /**
   * Connection attempts fail immediately until this time of a monotonic clock, in ms. `unresponsiveUntil` is set when a
   * connection attempt receives no response.
   */
  unresponsiveUntil: number
}

const makeConnectionError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** The SQLSTATE of a change on a standby, or on a server that an operator has set to read-only. */
const readOnlyState = "25006"

/**
 * The routine that reports a commit whose replication to the standby was cancelled. The server then acknowledges the
 * commit, although a failover would lose it.
 */
const replicationRoutine = "SyncRepWaitForLSN"

const examinedTypes: ReadonlySet<number> = new Set([messageType.backendKeyData, messageType.error, messageType.notice])

const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const cancelRequestHeader = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e])

const keepAliveDelayMs = 10_000
const cancelTimeoutMs = 5_000
/** The time in ms that a closing connection waits for the server to close the other side. */
const closeTimeoutMs = 1_000
/** The time in ms after which a connection attempt without a response marks the server as unresponsive. */
const unresponsiveAfterMs = 500
/**
 * The time in ms for which connection attempts fail immediately after the server did not respond. A pool makes one
 * connection attempt at a time. If attempts did not fail at once, the callers of a pool would time out one after
 * another.
 */
const failFastMs = 500

/**
 * A connection to a PostgreSQL server over TCP or a Unix socket. Each statement has a time limit. A late statement is
 * cancelled at the server, unless the server itself ends late statements. A cancel request cancels whichever statement
 * the session is running. After a cancel request, the socket sends nothing more until the server has received the
 * cancel request. If the cancelled statement still gets no response, the socket destroys the session and all idle
 * sessions. The socket also destroys a session whose server is read-only, because a standby stays read-only, and a
 * session that acknowledges a commit without replication.
 */
export class PgSocket extends Duplex {
  readonly #shared: SharedSocketState
  readonly #watchdog: ResponseWatchdog | undefined
  #socket: Socket
  #isReady = false
  #hasReceivedData = false
  #isCancelling = false
  readonly #frames = new FrameReader(examinedTypes, (type, body) => this.#onMessage(type, body))
  readonly #openedAt = performance.now()
  #pendingWrite: { readonly bytes: Buffer; readonly callback: (error?: Error | null) => void } | undefined

  constructor(shared: SharedSocketState) {
    super({ allowHalfOpen: false })
    this.#shared = shared
    this.#watchdog = shared.responseTimeoutMs === undefined
      ? undefined
      : new ResponseWatchdog(shared.responseTimeoutMs, {
        onLate: () => shared.hasServerTimeout ? undefined : this.#cancelStatement(),
        onSilent: (sentAt) => this.#destroyUnresponsive(sentAt)
      })
    const { endpoint, tls } = shared.address
    shared.openSockets.add(this)
    if (this.#openedAt < shared.unresponsiveUntil) {
      this.#socket = new Socket()
      process.nextTick(() => this.destroy(makeConnectionError("ETIMEDOUT", "PostgreSQL did not respond a moment ago")))
      return
    }
    this.#socket = connect({ ...endpoint, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs })
    this.#destroyWithSocket()
    this.#socket.once("connect", () => tls === null ? this.#startForwarding() : this.#requestTls(tls))
  }

  #destroyWithSocket(): void {
    this.#socket.on("error", (cause) => this.destroy(cause)).on("close", this.#onClosed)
  }

  readonly #onClosed = (): void => void this.destroy()

  #requestTls(tls: NonNullable<Address["tls"]>): void {
    const plainSocket = this.#socket
    plainSocket.once("data", (response) => {
      this.#hasReceivedData = true
      plainSocket.pause()
      // A response of several bytes is rejected, because an intermediary could have sent the additional bytes before
      // the connection was secure.
      if (response.length === 1 && response[0] === "S".charCodeAt(0)) return this.#startTls(plainSocket, tls)
      if (response.length === 1 && response[0] === "N".charCodeAt(0)) {
        if (tls.isOptional) return this.#startForwarding()
        return this.destroy(makeConnectionError("TLS_NOT_SPOKEN", "The server does not support TLS"))
      }
      // A server that rejects the client at once sends a protocol error, which the client understands.
      if (response[0] !== "E".charCodeAt(0)) {
        return this.destroy(makeConnectionError("NOT_POSTGRESQL", "The server does not use PostgreSQL's protocol"))
      }
      this.#startForwarding()
      this.push(response)
    })
    plainSocket.write(sslRequest)
  }

  #startTls(plainSocket: Socket, tls: NonNullable<Address["tls"]>): void {
    // The TLS socket reports certificate errors after the raw socket has closed.
    plainSocket.off("close", this.#onClosed)
    try {
      this.#socket = secure({ ...tls.readOptions(), socket: plainSocket })
    } catch (cause) {
      return void this.destroy(cause instanceof Error ? cause : new Error(String(cause)))
    }
    this.#destroyWithSocket()
    this.#socket.once("secureConnect", () => this.#startForwarding())
  }

  #startForwarding(): void {
    this.#isReady = true
    this.#socket.on("data", (chunk: Buffer) => {
      this.#hasReceivedData = true
      this.#watchdog?.onRead()
      this.#frames.push(chunk)
      if (!this.destroyed && !this.push(chunk)) this.#socket.pause()
    })
    this.#socket.resume()
    this.#sendPendingWrite()
  }

  #onMessage(type: number, body: Uint8Array): void {
    this.#watchdog?.onMessage(type, body)
    if (type === messageType.error && readField(body, "C") === readOnlyState) {
      this.destroy(makeConnectionError(readOnlyState, "The server is read-only"))
    } else if (type === messageType.notice && readField(body, "R") === replicationRoutine) {
      this.destroy(makeConnectionError("NOT_REPLICATED", "The standby did not confirm a commit"))
    }
  }

  #sendPendingWrite(): void {
    const pending = this.#pendingWrite
    this.#pendingWrite = undefined
    if (pending !== undefined) this.#send(pending.bytes, pending.callback)
  }

  #send(bytes: Buffer, callback: (error?: Error | null) => void): void {
    this.#watchdog?.onWrite(bytes)
    if (this.#socket.write(bytes)) callback()
    else this.#socket.once("drain", () => callback())
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    if (this.#isReady && !this.#isCancelling) this.#send(bytes, callback)
    else this.#pendingWrite = { bytes, callback }
  }

  override _read(): void {
    if (this.#isReady) this.#socket.resume()
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#watchdog?.stop()
    this.#socket.end()
    setTimeout(() => this.destroy(), closeTimeoutMs).unref()
    callback()
  }

  override _destroy(cause: Error | null, callback: (error?: Error | null) => void): void {
    this.#watchdog?.stop()
    this.#shared.openSockets.delete(this)
    const now = performance.now()
    if (!this.#hasReceivedData && now - this.#openedAt >= unresponsiveAfterMs) {
      this.#shared.unresponsiveUntil = now + failFastMs
    }
    this.#socket.destroy()
    callback(cause)
  }

  #cancelStatement(): void {
    const cancelKey = this.#watchdog?.cancelKey
    if (cancelKey === undefined) return
    const cancelSocket = new PgSocket({ ...this.#shared, responseTimeoutMs: undefined, openSockets: new Set() })
    let [isSent, isLost] = [false, false]
    const onLost = () => void (isLost = true)
    const timer = setTimeout(
      () => cancelSocket.destroy(makeConnectionError("ETIMEDOUT", "PostgreSQL did not respond to the cancel request")),
      cancelTimeoutMs
    )
    this.#isCancelling = true
    // The server closes the connection of a cancel request after processing the request, but a lost request may still
    // arrive.
    cancelSocket.on("error", onLost).on("close", () => {
      clearTimeout(timer)
      this.#isCancelling = false
      if (isSent && isLost) {
        this.destroy(makeConnectionError("ETIMEDOUT", "PostgreSQL did not respond to a cancel request"))
      } else if (!this.destroyed) this.#sendPendingWrite()
    }).resume()
    cancelSocket.write(Buffer.concat([cancelRequestHeader, cancelKey]), (cause) => void (isSent = !cause))
  }

  #destroyUnresponsive(sentAt: number): void {
    const makeTimeoutError = () =>
      makeConnectionError("ETIMEDOUT", `PostgreSQL did not respond within ${this.#shared.responseTimeoutMs} ms`)
    for (const other of this.#shared.openSockets) {
      const watchdog = other.#watchdog
      if (other !== this && watchdog !== undefined && !watchdog.isAwaitingResponse && watchdog.lastReadAt < sentAt) {
        other.destroy(makeTimeoutError())
      }
    }
    this.destroy(makeTimeoutError())
  }
}
