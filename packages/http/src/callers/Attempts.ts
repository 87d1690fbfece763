import { Context, Duration } from "effect"

/**
 * Maximum numbers of failed sign-in attempts within a time window, from one address and in total. The limits are per
 * process.
 */
export const AttemptSettings = Context.Reference<{
  readonly perAddress: number
  readonly inAll: number
  readonly window: Duration.Input
}>("@tapeline/http/AttemptSettings", {
  defaultValue: () => ({ perAddress: 10, inAll: 1_000, window: "5 minutes" })
})

/**
 * An admitted attempt, or the time to wait for one. An attempt that does not fail is taken back. `left` attempts remain
 * until the window ends, in `resetMs`.
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
 * Counts attempts. The counts are forgotten when the window ends. The total limit also limits how many addresses are
 * remembered.
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

  /** Makes an attempt. `now` is the time of a monotonic clock, in ns. */
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

  /** The number of addresses that are remembered. */
  get size(): number {
    return this.#window.byAddress.size
  }
}
