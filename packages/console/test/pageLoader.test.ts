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

it("reloads the document once when a page that failed to load is opened again, if online", async () => {
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

it("reloads for a page that was not loaded before a failure, but not for a loaded page", async () => {
  const { arrivals, fails, reload } = opened()
  expect(await arrivals.load("tools", () => Promise.resolve("page"))).toBe("page")
  arrivals.onNavigate("market")
  await fails("journal")
  arrivals.onNavigate("tools")
  expect(reload).not.toHaveBeenCalled()
  arrivals.onNavigate("market")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("reloads for a loaded page if one of its files failed later", async () => {
  const { arrivals, fails, reload } = opened()
  await arrivals.load("coin", () => Promise.resolve("page"))
  await fails("coin")
  arrivals.onNavigate("coin")
  expect(reload).toHaveBeenCalledTimes(1)
})

it("reloads once when the network returns, unless the user has left the page", async () => {
  const { arrivals, events, fails, reload } = opened(false)
  await fails("journal")
  const stopReloading = arrivals.reloadWhenOnline()
  stopReloading()
  events.dispatchEvent(new Event("online"))
  expect(reload).not.toHaveBeenCalled()
  arrivals.reloadWhenOnline()
  events.dispatchEvent(new Event("online"))
  events.dispatchEvent(new Event("online"))
  expect(reload).toHaveBeenCalledTimes(1)
})

it("ignores a failure of an early load, and does not reload for the page that is then opened", async () => {
  const { arrivals, fails, reload } = opened()
  expect(await arrivals.preload("tools", () => Promise.reject(new TypeError("Failed to fetch")))).toBeUndefined()
  arrivals.onNavigate("tools")
  expect(await arrivals.preload("market", () => Promise.resolve("page"))).toBe("page")
  await fails("journal")
  arrivals.onNavigate("market")
  expect(reload).not.toHaveBeenCalled()
})
