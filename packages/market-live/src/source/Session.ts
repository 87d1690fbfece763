import { Clock, Effect, type Scope } from "effect"
import { type Fault, malformed } from "./fault.ts"
import { SingleFlightCache } from "./SingleFlightCache.ts"
import type { OutgoingRequest, RawResponse } from "./transport.ts"

/**
 * Credentials that a source issued. The credentials are sent as query parameters and headers of later requests. Errors
 * never contain credentials.
 */
export interface Credentials {
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** The outcome of opening a session: the issued credentials, or the response that rejected the session, if any. */
export type OpenResult = { readonly shown: Credentials } | { readonly refused: RawResponse | null }

/** A request that opens a session. */
export type SessionRequest = Pick<OutgoingRequest, "form" | "headers" | "url">

/** How to open an anonymous session at a source that requires credentials. */
export interface SessionOptions {
  /** Opens a session at the source with `sendRequest`, which limits time and size. */
  readonly open: (
    sendRequest: (sessionRequest: SessionRequest) => Effect.Effect<RawResponse, Fault>
  ) => Effect.Effect<OpenResult, Fault>
  /** Returns whether a response means that the credentials are no longer valid. */
  readonly isRejected: (received: RawResponse) => boolean
}

interface SessionDependencies {
  readonly bounds: Pick<OutgoingRequest, "maxBytes" | "timeoutMs">
  readonly send: (sent: OutgoingRequest) => Effect.Effect<RawResponse, Fault>
  readonly rejectionOf: (received: RawResponse, now: number) => Fault | undefined
}

/** The session at one source, which all requests share. If the source rejects the session, a new session is opened. */
export class Session {
  readonly #options: SessionOptions
  readonly #dependencies: SessionDependencies
  readonly #opening: SingleFlightCache<Credentials, Fault>
  #credentials: Credentials | undefined

  constructor(options: SessionOptions, dependencies: SessionDependencies, scope: Scope.Scope) {
    this.#options = options
    this.#dependencies = dependencies
    this.#opening = new SingleFlightCache(scope)
  }

  /**
   * Sends a request with the session's credentials. If the source rejects the session, opens a new session and sends
   * the request again. If the source rejects the new session too, the rejection is returned as the response.
   */
  sendInSession(sent: OutgoingRequest): Effect.Effect<RawResponse, Fault> {
    return Effect.gen({ self: this }, function*() {
      const first = yield* this.#getCredentials()
      const received = yield* this.#sendWith(sent, first)
      if (!this.#options.isRejected(received)) return received
      this.#forget(first)
      const second = yield* this.#getCredentials()
      const again = yield* this.#sendWith(sent, second)
      if (this.#options.isRejected(again)) this.#forget(second)
      return again
    })
  }

  #sendWith(sent: OutgoingRequest, { headers, query }: Credentials): Effect.Effect<RawResponse, Fault> {
    const url = new URL(sent.url)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return this.#dependencies.send({ ...sent, url: url.href, headers: { ...sent.headers, ...headers } })
  }

  /** Forgets the credentials, unless another request has already replaced them. */
  #forget(credentials: Credentials): void {
    if (this.#credentials === credentials) this.#credentials = undefined
  }

  #getCredentials(): Effect.Effect<Credentials, Fault> {
    return Effect.suspend(() => {
      const known = this.#credentials
      return known === undefined ? this.#opening.get("session", 0, this.#openSession()) : Effect.succeed(known)
    })
  }

  #openSession(): Effect.Effect<Credentials, Fault> {
    const { bounds, send } = this.#dependencies
    return Effect.gen({ self: this }, function*() {
      const opened = yield* this.#options.open((sessionRequest) =>
        send({ ...bounds, binary: false, ...sessionRequest })
      )
      if ("shown" in opened) {
        this.#credentials = opened.shown
        return opened.shown
      }
      const { refused } = opened
      const now = yield* Clock.currentTimeMillis
      const fault = refused === null ? undefined : this.#dependencies.rejectionOf(refused, now)
      return yield* Effect.fail(fault ?? malformed("no session: the cookie or the crumb is missing"))
    })
  }
}
