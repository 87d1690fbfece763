import { Clock, Effect, type Scope } from "effect"
import { type Fault, malformed } from "./fault.ts"
import { Flights } from "./Flights.ts"
import type { Received, Sent } from "./transport.ts"

/** What a source handed out: shown with requests, in their queries and headers. No error tells it. */
export interface Credentials {
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** What came at the door: something to show, or an answer that let nobody in. */
export type Opened = { readonly shown: Credentials } | { readonly refused: Received | null }

/** What is asked at the door; the rest is bounded as all requests are. */
export type Knock = Pick<Sent, "form" | "headers" | "url">

/** How somebody without an account comes in, where a source wants to see what it handed out before. */
export interface SessionOptions {
  /** Comes in by requests that are bounded as all others are. */
  readonly open: (knock: (knock: Knock) => Effect.Effect<Received, Fault>) => Effect.Effect<Opened, Fault>
  /** Whether an answer says that what was shown is not valid any more. */
  readonly isRefused: (received: Received) => boolean
}

interface Uses {
  readonly bounds: Pick<Sent, "maxBytes" | "timeoutMs">
  readonly send: (sent: Sent) => Effect.Effect<Received, Fault>
  readonly refusalOf: (received: Received, now: number) => Fault | undefined
}

/** The session of one source in this process: opened once for all that ask, and again when it is refused. */
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

  /** Sends within the session. Where that is refused it is opened anew, once: a second refusal is the answer. */
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

  /** Somebody else may have opened another one meanwhile, which stays. */
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
