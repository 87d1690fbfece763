import type { SignedIn } from "@tapeline/client"
import { afterEach, expect, it, vi } from "vitest"
import { readSignedInAccount } from "../browser/access/readSignedInAccount.ts"
import { SignInSession } from "../browser/access/SignInSession.ts"
import { makeQueryClient } from "../browser/requests/queryClient.ts"
import { rememberReturnPath, takeReturnPath } from "../browser/router/returnPath.ts"

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it("ends a sign-in session once, and aborts its pending requests first", () => {
  const [first, second] = [vi.fn(), vi.fn()]
  const signIn = new SignInSession(0)
  expect(signIn.signal.aborted).toBe(false)
  signIn.end(() => first(signIn.signal.aborted))
  expect(first).toHaveBeenCalledExactlyOnceWith(true)
  signIn.end(second)
  expect(second).not.toHaveBeenCalled()
})

it("delays the end of a session until every hold on it is released", () => {
  const [out, other] = [vi.fn(), vi.fn()]
  const signIn = new SignInSession(0)
  const [one, two] = [signIn.holdOpen(), signIn.holdOpen()]
  signIn.end(out)
  signIn.end(other)
  one()
  expect(signIn.signal.aborted).toBe(false)
  two()
  expect(out).toHaveBeenCalledTimes(1)
  expect(other).not.toHaveBeenCalled()
})

it("keeps a session if a hold is released while no end is pending", () => {
  const signIn = new SignInSession(0)
  signIn.holdOpen()()
  expect(signIn.signal.aborted).toBe(false)
})

it("removes a finished mutation from the cache, because its result may be a key", async () => {
  const queryClient = makeQueryClient()
  const mutation = queryClient.getMutationCache().build(queryClient, { mutationFn: async () => "tl_live_secret" })
  expect(await mutation.execute(undefined)).toBe("tl_live_secret")
  await vi.waitFor(() => expect(queryClient.getMutationCache().getAll()).toEqual([]))
})

it("requests the account only if the browser has a session, or the service does not report that", async () => {
  // The cast is safe because `readSignedInAccount` returns the account without reading a field.
  const signedIn = { id: 7 } as SignedIn
  for (
    const [methods, expected] of [[{ has_session: false }, undefined], [{ has_session: true }, signedIn], [
      {},
      signedIn
    ]]
  ) {
    const read = vi.fn(async () => signedIn)
    // The empty response is from an older service, which does not send `has_session`.
    const account = { read, signInWays: async () => ({ openid: null, ...methods }) } as Parameters<
      typeof readSignedInAccount
    >[0]["account"]
    expect(await readSignedInAccount({ account }, false)).toBe(expected)
    expect(read).toHaveBeenCalledTimes(expected === undefined ? 0 : 1)
  }
  const failed = { read: vi.fn(), signInWays: async () => Promise.reject(new Error("away")) }
  await expect(readSignedInAccount({ account: failed }, false)).rejects.toThrow("away")
  expect(failed.read).not.toHaveBeenCalled()
})

it("reads the account with the first request if the browser has sent a session cookie", async () => {
  // The cast is safe because `readSignedInAccount` returns the account without reading a field.
  const signedIn = { id: 7 } as SignedIn
  const account = { read: vi.fn(async () => signedIn), signInWays: vi.fn() }
  expect(await readSignedInAccount({ account }, true)).toBe(signedIn)
  expect(account.signInWays).not.toHaveBeenCalled()
})

it("returns the page to open after a sign-in once, and only while a sign-in link would work", () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
  const stored = new Map<string, string>()
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key)
  })
  expect(takeReturnPath()).toBeUndefined()
  rememberReturnPath("/keys?state=live")
  expect([takeReturnPath(), takeReturnPath()]).toEqual(["/keys?state=live", undefined])
  rememberReturnPath("/keys")
  vi.advanceTimersByTime(900_000)
  expect(takeReturnPath()).toBeUndefined()
  stored.set("tapeline.return-path", `${Date.now()} https://elsewhere.example`)
  expect(takeReturnPath()).toBeUndefined()
})

it("opens the home page after a sign-in if the browser has no session storage", () => {
  vi.stubGlobal("sessionStorage", {
    get getItem() {
      throw new Error("denied")
    },
    get setItem() {
      throw new Error("denied")
    }
  })
  rememberReturnPath("/keys")
  expect(takeReturnPath()).toBeUndefined()
})
