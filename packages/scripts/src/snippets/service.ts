/** The server as `npm start` runs it, in a process of its own, on a new data folder, for what the documents show. */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startServer } from "../serverProcess.ts"

export interface Service {
  readonly url: string
  readonly adminToken: string
  /** What its first start printed. */
  readonly welcome: string
  /** A folder for what is written beside it. */
  readonly folder: string
  /** A new account's key of all scopes, of a plan that no page uses up. */
  readonly newKey: () => Promise<string>
  readonly stop: () => Promise<void>
}

const plans = { reader: { monthly_credits: 1_000_000, keys: 10, requests_per_minute: 10_000, answers_per_day: 1_000 } }

const post = async (url: string, token: string, body: object): Promise<unknown> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}

const fieldOf = (value: unknown, name: string): string =>
  String(typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined)

/** Starts it, and waits until it listens. */
export const startService = async (): Promise<Service> => {
  const folder = mkdtempSync(join(tmpdir(), "tapeline-snippets-"))
  const adminToken = randomUUID()
  const { stop, url, welcome } = await startServer({
    PORT: "0",
    TAPELINE_DATA_DIR: join(folder, "data"),
    TAPELINE_ADMIN_TOKEN: adminToken,
    TAPELINE_PLANS: JSON.stringify(plans)
  }, /How is BTC doing\?/u)
  const scopes = ["read:market", "read:personal", "write:personal", "agent:chat"]
  return {
    url,
    adminToken,
    welcome,
    folder,
    newKey: async () => {
      const account = await post(`${url}/admin/v1/accounts`, adminToken, { name: "reader", plan: "reader" })
      const keys = `${url}/admin/v1/accounts/${fieldOf(account, "id")}/keys`
      return fieldOf(await post(keys, adminToken, { name: "reader", scopes }), "key")
    },
    stop: async () => {
      await stop()
      // What it keeps goes with its folder.
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** What a page writes for an address and a key, with those of the service in their places. */
export const addressed = (code: string, { adminToken, url }: Service, key: string): string =>
  code.replaceAll("http://127.0.0.1:8787", url).replaceAll("tl_live_...", key)
    .replaceAll("TAPELINE_ADMIN_TOKEN=...", `TAPELINE_ADMIN_TOKEN=${adminToken}`)
