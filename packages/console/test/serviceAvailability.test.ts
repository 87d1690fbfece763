import { expect, it } from "vitest"
import { makeServiceAvailability } from "../browser/requests/serviceAvailability.ts"

it("reports the service as unavailable after a network or gateway error, until it responds", async () => {
  const reach = makeServiceAvailability()
  const availabilityChanges: Array<boolean> = []
  const unsubscribe = reach.subscribe(() => void availabilityChanges.push(reach.isUnavailable()))
  const answers = [200, 502, 503, 429, "gone", "gone", 401, "gone", 500] as const
  let n = 0
  const fetch = reach.trackFetch(() => {
    const answer = answers[n++]!
    return answer === "gone"
      ? Promise.reject(new TypeError("gone"))
      : Promise.resolve(new Response("", { status: answer }))
  })
  const states: Array<boolean> = []
  for (const _ of answers) {
    await fetch("/v1").catch(() => undefined)
    states.push(reach.isUnavailable())
  }
  expect(states).toEqual([false, true, true, false, true, true, false, true, false])
  expect(availabilityChanges).toEqual([true, false, true, false, true, false])
  unsubscribe()
})

it("ignores requests that the page aborts", async () => {
  const reach = makeServiceAvailability()
  const signal = AbortSignal.abort(new Error("given up"))
  const fetch = reach.trackFetch(() => Promise.reject(signal.reason))
  await expect(fetch("/v1", { signal })).rejects.toThrow("given up")
  expect(reach.isUnavailable()).toBe(false)
})
