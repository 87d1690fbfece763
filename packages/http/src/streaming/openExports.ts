import type { ServerResponse } from "node:http"

/** The maximum number of open exports of an account in one process. */
export const maxOpenExports = 2

/** Counts the open exports of each account, and ends an export whose reader receives nothing for `maxStallMs`. */
export const makeOpenExports = (maxStallMs: number) => {
  const counts = new Map<number, number>()
  const countOf = (account: number) => counts.get(account) ?? 0
  return {
    isFull: (account: number): boolean => countOf(account) >= maxOpenExports,
    /** Counts an export until its connection has closed or its response was sent. */
    add: (account: number, response: ServerResponse): void => {
      // A closed response emits no further event.
      if (response.destroyed) return
      counts.set(account, countOf(account) + 1)
      response.setTimeout(maxStallMs, () => void response.destroy())
      response.once("close", () => {
        const left = countOf(account) - 1
        if (left === 0) counts.delete(account)
        else counts.set(account, left)
      })
    }
  }
}
