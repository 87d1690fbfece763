import { Context, Duration } from "effect"

/** How many attempts to sign in may fail, from one address and in all, within a window of time; in each process. */
export const AttemptSettings = Context.Reference<{
  readonly perAddress: number
  readonly inAll: number
  readonly window: Duration.Input
}>("@tapeline/http/AttemptSettings", {
  defaultValue: () => ({ perAddress: 10, inAll: 1_000, window: "5 minutes" })
})

/**
 * An attempt that may be made, and is taken back where it did not fail, with how many are left until the window ends,
 * in ms; or how long to wait for one.
 */
export type Attempt =
  | { readonly takeBack: () => void; readonly left: number; readonly resetMs: number }
  | { readonly waitMs: number }

interface Window {
  readonly ends: bigint
  all: number
  readonly byAddress: Map<string, number>
}

const nanosPerMs = 1_000_000n

/**
 * Counts attempts. All of a window's are forgotten with it, and in all there are not more than may be: so many
 * addresses are remembered at most.
 */
export class Attempts {
  readonly #perAddress: number
  readonly #inAll: number
  readonly #windowNanos: bigint
  #window: Window = { ends: 0n, all: 0, byAddress: new Map() }

  constructor({ inAll, perAddress, window }: typeof AttemptSettings["Service"]) {
    this.#perAddress = perAddress
    this.#inAll = inAll
    this.#windowNanos = BigInt(Math.round(Duration.toMillis(window))) * nanosPerMs
  }

  /** Makes an attempt, at `now` by a clock that nobody sets. */
  make(address: string, now: bigint): Attempt {
    if (now >= this.#window.ends) this.#window = { ends: now + this.#windowNanos, all: 0, byAddress: new Map() }
    const window = this.#window
    const made = window.byAddress.get(address) ?? 0
    const leftMs = Number((window.ends - now) / nanosPerMs)
    if (window.all >= this.#inAll || made >= this.#perAddress) return { waitMs: leftMs }
    window.all++
    window.byAddress.set(address, made + 1)
    return {
      left: this.#perAddress - made - 1,
      resetMs: leftMs,
      takeBack: () => {
        window.all--
        const left = (window.byAddress.get(address) ?? 1) - 1
        if (left === 0) window.byAddress.delete(address)
        else window.byAddress.set(address, left)
      }
    }
  }

  /** Addresses that are remembered. */
  get size(): number {
    return this.#window.byAddress.size
  }
}
