/** Starts a server in a separate process with a new data folder, for the examples of the documents. */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startServer } from "../serverProcess.ts"

export interface SnippetService {
  readonly url: string
  readonly adminToken: string
  readonly startOutput: string
  readonly folder: string
  /** Returns the API key of a new account with all scopes and with more credits than any page uses. */
  readonly issueKey: () => Promise<string>
  readonly stop: () => Promise<void>
}

const plans = { reader: { monthly_credits: 1_000_000, keys: 10, requests_per_minute: 10_000, answers_per_day: 1_000 } }

const postJson = async (url: string, token: string, body: object): Promise<unknown> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}

const readField = (value: unknown, name: string): string =>
  String(typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined)

export const startSnippetService = async (): Promise<SnippetService> => {
  const folder = mkdtempSync(join(tmpdir(), "tapeline-snippets-"))
  const adminToken = randomUUID()
  const { stop, url, startOutput } = await startServer({
    PORT: "0",
    TAPELINE_DATA_DIR: join(folder, "data"),
    TAPELINE_ADMIN_TOKEN: adminToken,
    TAPELINE_PLANS: JSON.stringify(plans)
  }, /How is BTC doing\?/u)
  const scopes = ["read:market", "read:personal", "write:personal", "agent:chat"]
  return {
    url,
    adminToken,
    startOutput,
    folder,
    issueKey: async () => {
      const account = await postJson(`${url}/admin/v1/accounts`, adminToken, { name: "reader", plan: "reader" })
      const keys = `${url}/admin/v1/accounts/${readField(account, "id")}/keys`
      return readField(await postJson(keys, adminToken, { name: "reader", scopes }), "key")
    },
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

export const withServiceAddress = (code: string, { adminToken, url }: SnippetService, key: string): string =>
  code.replaceAll("http://127.0.0.1:8787", url).replaceAll("tl_live_...", key)
    .replaceAll("TAPELINE_ADMIN_TOKEN=...", `TAPELINE_ADMIN_TOKEN=${adminToken}`)
