import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

it("returns prices, charges each user, and exits with 0 on SIGTERM", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../src/server.ts")], {
    env: { PATH: process.env["PATH"], PORT: "0" }
  })
  const exitCode = new Promise<number | null>((resolve) => child.once("close", resolve))
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let text = ""
      const findAddress = (chunk: unknown) => {
        text += String(chunk)
        const address = /listens on (\S+)\n/.exec(text)?.[1]
        if (address !== undefined) resolve(address)
      }
      child.stdout.on("data", findAddress)
      child.stderr.on("data", findAddress)
      void exitCode.then(() => reject(new Error(text)))
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
    expect(await exitCode).toBe(0)
  } finally {
    child.kill("SIGKILL")
  }
}, 60_000)
