import { expect, it, vi } from "vitest"
import { Arrivals, NotArrived } from "../browser/router/Arrivals.ts"

const opened = (isOnline = true) => {
  const events = new EventTarget()
  const network = { isOnline }
  const reload = vi.fn<() => void>()
  const arrivals = new Arrivals({ isOnline: () => network.isOnline, reload, events })
  const fails = (part: string) =>
    expect(arrivals.load(part, () => Promise.reject(new TypeError("Failed to fetch")))).rejects.toThrow(NotArrived)
  return { arrivals, events, fails, network, reload }
}

it("whoever goes back to what did not arrive loads the document anew, once; not while there is no network", async () => {
  const { arrivals, fails, network, reload } = opened(false)
  arrivals.goTo("journal")
  await fails("journal")
  arrivals.goTo("journal")
  expect(reload).not.toHaveBeenCalled()
  network.isOnline = true
  arrivals.goTo("journal")
  arrivals.goTo("journal")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("what arrived is gone to as ever; what was never asked for may need the file that failed", async () => {
  const { arrivals, fails, reload } = opened()
  expect(await arrivals.load("tools", () => Promise.resolve("page"))).toBe("page")
  arrivals.goTo("market")
  await fails("journal")
  arrivals.goTo("tools")
  expect(reload).not.toHaveBeenCalled()
  arrivals.goTo("market")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("a page that arrived without a file that it needs is gone to anew too", async () => {
  const { arrivals, fails, reload } = opened()
  await arrivals.load("coin", () => Promise.resolve("page"))
  await fails("coin")
  arrivals.goTo("coin")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("a network that is back loads the document anew, once, and not for who went elsewhere", async () => {
  const { arrivals, events, fails, reload } = opened(false)
  await fails("journal")
  const leave = arrivals.awaitNetwork()
  leave()
  events.dispatchEvent(new Event("online"))
  expect(reload).not.toHaveBeenCalled()
  arrivals.awaitNetwork()
  events.dispatchEvent(new Event("online"))
  events.dispatchEvent(new Event("online"))
  expect(reload).toHaveBeenCalledTimes(1)
})
