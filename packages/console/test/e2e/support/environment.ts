import { startServer } from "@tapeline/scripts/serverProcess"
import { type FakeScript, startFakeModel } from "@tapeline/testing/fakeModel"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import { startProvider } from "./provider.ts"
import { openVisitorContext, type VisitOptions, type Visitor } from "./visitor.ts"

const adminToken = "administration-token-of-these-tests"

export const longPlan = "w0w0w0w0w0w0w0w0w0w0w0w0w0w0w0w0"

const largePlan = { monthly_credits: 100_000, keys: 20, requests_per_minute: 100_000, answers_per_day: 1_000 }

/** The plan `trader` has ample limits, and the plan `spent` has credits for two calls. */
const plans = {
  trader: largePlan,
  [longPlan]: largePlan,
  spent: { monthly_credits: 2, keys: 2, requests_per_minute: 100_000, answers_per_day: 10 }
}

type JsonObject = Readonly<Record<string, unknown>>

export interface TestEnvironment {
  readonly url: string
  readonly model: Awaited<ReturnType<typeof startFakeModel>>
  /** The admin token of the configuration, which has all scopes. */
  readonly adminToken: string
  /** Sends a request of the admin API with the admin token of the configuration. */
  readonly sendAdmin: (method: "GET" | "PATCH" | "POST" | "DELETE", path: string, body?: object) => Promise<JsonObject>
  readonly createAccount: (plan?: keyof typeof plans, name?: string) => Promise<number>
  readonly changePlan: (account: number, plan: keyof typeof plans) => Promise<void>
  readonly createLink: (account: number) => Promise<string>
  readonly issueKey: (account: number) => Promise<string>
  /** Opens a browser context with a blank page and no stored data. A script error on the page fails the test. */
  readonly openVisitor: (visit?: VisitOptions) => Promise<Visitor>
  /** Signs a visitor in with a direct request, without opening the sign-in page. */
  readonly openSignedIn: (account: number, visit?: VisitOptions) => Promise<Visitor>
  /** Stops the server, runs `act`, and starts the server again with the same URL and data. */
  readonly whileStopped: (act: (dataDir: string) => Promise<void>) => Promise<void>
}

const sendJson = async (method: string, url: string, token: string, body?: object): Promise<JsonObject> => {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
  // The cast is safe because the requested routes return JSON objects, or nothing.
  return text === "" ? {} : JSON.parse(text) as JsonObject
}

/** Finds a free port. The OpenID provider needs the service's URL before the service starts. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  // The cast is safe because the address of a TCP server is an object with a port.
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, "close")
  return port
}

const makeVisitorPool = (browser: Browser, url: string) => {
  const activeVisitors: Array<Visitor> = []
  const idleVisitors: Array<Visitor> = []
  const takeIdle = ({ language, screen, theme }: VisitOptions): Visitor | undefined => {
    const visitorIndex = idleVisitors.findIndex(({ visit }) =>
      visit.language === language && visit.screen === screen && visit.theme === theme
    )
    return visitorIndex < 0 ? undefined : idleVisitors.splice(visitorIndex, 1)[0]
  }
  return {
    openVisitor: async (visit: VisitOptions = {}): Promise<Visitor> => {
      const openedVisitor = takeIdle(visit) ?? await openVisitorContext(browser, url, visit)
      activeVisitors.push(openedVisitor)
      return openedVisitor
    },
    releaseVisitors: async (): Promise<ReadonlyArray<string>> => {
      const released = activeVisitors.splice(0)
      await Promise.all(released.map(async (one) => {
        if (await one.reset()) idleVisitors.push(one)
        else await one.page.context().close()
      }))
      return released.flatMap((one) => one.takeFaults())
    }
  }
}

const openEnvironment = async (browser: Browser, script: FakeScript) => {
  const folder = mkdtempSync(join(tmpdir(), "tapeline-console-"))
  const dataDir = join(folder, "data")
  const port = await freePort()
  const [model, provider] = await Promise.all([
    startFakeModel({ script }),
    startProvider(`http://127.0.0.1:${port}`)
  ])
  const start = () =>
    startServer({
      PORT: String(port),
      TAPELINE_DATA_DIR: dataDir,
      TAPELINE_ADMIN_TOKEN: adminToken,
      TAPELINE_PLANS: JSON.stringify(plans),
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "no-key",
      OPENAI_MODEL: "a-model",
      ...provider.settings
    }, /^Data is stored in/mu)
  let server = await start()
  const { url } = server
  const { releaseVisitors, openVisitor } = makeVisitorPool(browser, url)
  const sendAdmin: TestEnvironment["sendAdmin"] = (method, path, body) =>
    sendJson(method, `${url}/admin/v1${path}`, adminToken, body)
  const postAdmin = (path: string, body: object) => sendAdmin("POST", path, body)
  const createLink = async (account: number) => String((await postAdmin(`/accounts/${account}/links`, {}))["url"])
  const environment: TestEnvironment = {
    url,
    model,
    adminToken,
    sendAdmin,
    createAccount: async (plan = "trader", name = "Kim") =>
      Number((await postAdmin("/accounts", { name, plan }))["id"]),
    changePlan: async (account, plan) => void await sendAdmin("PATCH", `/accounts/${account}`, { plan }),
    createLink,
    issueKey: async (account) => {
      const scopes = ["read:market", "read:personal", "write:personal", "agent:chat"]
      return String((await postAdmin(`/accounts/${account}/keys`, { name: "bot", scopes }))["key"])
    },
    openVisitor,
    openSignedIn: async (account, visit) => {
      const openedVisitor = await openVisitor(visit)
      await openedVisitor.openSession(await createLink(account))
      return openedVisitor
    },
    whileStopped: async (act) => {
      await server.stop()
      await act(dataDir)
      server = await start()
    }
  }
  return {
    environment,
    releaseVisitors,
    close: async () => {
      await server.stop()
      provider.stop()
      await model.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const hookTimeoutMs = 180_000

export const setUpEnvironment = (launchBrowser: () => Promise<Browser>, script: FakeScript): () => TestEnvironment => {
  let launching: Promise<Browser> | undefined
  let opening: ReturnType<typeof openEnvironment> | undefined
  let opened: Awaited<ReturnType<typeof openEnvironment>> | undefined
  beforeAll(async () => {
    launching = launchBrowser()
    opening = launching.then((browser) => openEnvironment(browser, script))
    opened = await opening
  }, hookTimeoutMs)
  afterEach(async () => {
    expect(await opened?.releaseVisitors()).toEqual([])
  })
  afterAll(async () => {
    // If the start took longer than the hook's timeout, `opened` is undefined, but the browser and the server must
    // still be closed.
    await (await launching)?.close()
    await (await opening)?.close()
  }, hookTimeoutMs)
  return () => opened!.environment
}
