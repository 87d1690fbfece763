import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

it("returns prices, charges each user, and exits with 0 on SIGTERM", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../src/server.ts")], {
    env: { PATH: process.env["PATH"], PORT: "0" }
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let text = ""
      const look = (more: unknown) => {
        text += String(more)
        const found = /listens on (\S+)\n/.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stdout.on("data", look)
      child.stderr.on("data", look)
      void ended.then(() => reject(new Error(text)))
    })
    const ask = async (path: string, token: string) => {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
      return [response.status, await response.json()] as const
    }
    const usd: unknown = expect.any(Number)
    expect(await ask("/price/BTC", "ann")).toEqual([200, { coin: "BTC", usd, credits_left: 1999 }])
    expect(await ask("/price/ETH", "ann")).toEqual([200, { coin: "ETH", usd, credits_left: 1998 }])
    expect(await ask("/price/BTC", "bob")).toEqual([200, { coin: "BTC", usd, credits_left: 1999 }])
    expect((await ask("/price/NOSUCH", "bob"))[0]).toBe(404)
    expect((await ask("/price/BTC", "eve"))[0]).toBe(401)
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
  } finally {
    child.kill("SIGKILL")
  }
}, 60_000)
