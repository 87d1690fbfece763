import { Clock, Effect, type Scope } from "effect"
import { type Fault, malformed } from "./fault.ts"
import { Flights } from "./Flights.ts"
import type { Received, Sent } from "./transport.ts"

/** Credentials that a source issued: query parameters and headers of later requests. Errors never contain them. */
export interface Credentials {
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The outcome of opening a session: credentials, or the response that refused them. `refused` is null if there is no
 * such response.
 */
export type Opened = { readonly shown: Credentials } | { readonly refused: Received | null }

/** A request that opens a session. Its time and size are bounded as for all requests. */
export type Knock = Pick<Sent, "form" | "headers" | "url">

/** How to open an anonymous session, for a source that requires credentials which it issued before. */
export interface SessionOptions {
  /** Opens a session with the given function, which sends bounded requests. */
  readonly open: (knock: (knock: Knock) => Effect.Effect<Received, Fault>) => Effect.Effect<Opened, Fault>
  /** Whether a response means that the credentials are no longer valid. */
  readonly isRefused: (received: Received) => boolean
}

interface Uses {
  readonly bounds: Pick<Sent, "maxBytes" | "timeoutMs">
  readonly send: (sent: Sent) => Effect.Effect<Received, Fault>
  readonly refusalOf: (received: Received, now: number) => Fault | undefined
}

/**
 * The session of one source in this process. All requests share it, and it is opened again when the source rejects it.
 */
export class Session {
  readonly #options: SessionOptions
  readonly #uses: Uses
  readonly #opening: Flights<Credentials, Fault>
  #shown: Credentials | undefined

  constructor(options: SessionOptions, uses: Uses, scope: Scope.Scope) {
    this.#options = options
    this.#uses = uses
    this.#opening = new Flights(scope)
  }

  /**
   * Sends a request within the session. If the source rejects the session, it is opened again once. A second rejection
   * is returned as the response.
   */
  ask(sent: Sent): Effect.Effect<Received, Fault> {
    return Effect.gen({ self: this }, function*() {
      const first = yield* this.#current()
      const received = yield* this.#show(sent, first)
      if (!this.#options.isRefused(received)) return received
      this.#forget(first)
      const second = yield* this.#current()
      const again = yield* this.#show(sent, second)
      if (this.#options.isRefused(again)) this.#forget(second)
      return again
    })
  }

  #show(sent: Sent, { headers, query }: Credentials): Effect.Effect<Received, Fault> {
    const url = new URL(sent.url)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return this.#uses.send({ ...sent, url: url.href, headers: { ...sent.headers, ...headers } })
  }

  /** Forgets the credentials, unless another request has already replaced them. */
  #forget(shown: Credentials): void {
    if (this.#shown === shown) this.#shown = undefined
  }

  #current(): Effect.Effect<Credentials, Fault> {
    return Effect.suspend(() => {
      const known = this.#shown
      return known === undefined ? this.#opening.ask("session", 0, this.#open()) : Effect.succeed(known)
    })
  }

  #open(): Effect.Effect<Credentials, Fault> {
    const { bounds, send } = this.#uses
    return Effect.gen({ self: this }, function*() {
      const opened = yield* this.#options.open((knock) => send({ ...bounds, binary: false, ...knock }))
      if ("shown" in opened) {
        this.#shown = opened.shown
        return opened.shown
      }
      const { refused } = opened
      const now = yield* Clock.currentTimeMillis
      const fault = refused === null ? undefined : this.#uses.refusalOf(refused, now)
      return yield* Effect.fail(fault ?? malformed("it let nobody in: no cookie, or no crumb"))
    })
  }
}
