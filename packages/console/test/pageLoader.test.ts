import { expect, it, vi } from "vitest"
import { PageLoader, PageLoadError } from "../browser/router/PageLoader.ts"

const opened = (isOnline = true) => {
  const events = new EventTarget()
  const network = { isOnline }
  const reload = vi.fn<() => void>()
  const arrivals = new PageLoader({ isOnline: () => network.isOnline, reload, events })
  const fails = (part: string) =>
    expect(arrivals.load(part, () => Promise.reject(new TypeError("Failed to fetch")))).rejects.toThrow(PageLoadError)
  return { arrivals, events, fails, network, reload }
}

it("whoever goes back to what did not arrive loads the document anew, once; not while there is no network", async () => {
  const { arrivals, fails, network, reload } = opened(false)
  arrivals.onNavigate("journal")
  await fails("journal")
  arrivals.onNavigate("journal")
  expect(reload).not.toHaveBeenCalled()
  network.isOnline = true
  arrivals.onNavigate("journal")
  arrivals.onNavigate("journal")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("what arrived is gone to as ever; what was never asked for may need the file that failed", async () => {
  const { arrivals, fails, reload } = opened()
  expect(await arrivals.load("tools", () => Promise.resolve("page"))).toBe("page")
  arrivals.onNavigate("market")
  await fails("journal")
  arrivals.onNavigate("tools")
  expect(reload).not.toHaveBeenCalled()
  arrivals.onNavigate("market")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("a page that arrived without a file that it needs is gone to anew too", async () => {
  const { arrivals, fails, reload } = opened()
  await arrivals.load("coin", () => Promise.resolve("page"))
  await fails("coin")
  arrivals.onNavigate("coin")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("a network that is back loads the document anew, once, and not for who went elsewhere", async () => {
  const { arrivals, events, fails, reload } = opened(false)
  await fails("journal")
  const leave = arrivals.reloadWhenOnline()
  leave()
  events.dispatchEvent(new Event("online"))
  expect(reload).not.toHaveBeenCalled()
  arrivals.reloadWhenOnline()
  events.dispatchEvent(new Event("online"))
  events.dispatchEvent(new Event("online"))
  expect(reload).toHaveBeenCalledTimes(1)
})
