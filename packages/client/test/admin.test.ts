import { endPart, ScriptedModel } from "@tapeline/testing/agent/ScriptedModel"
import { assert, expect, it } from "vitest"
import { createAdminClient } from "../src/admin.ts"
import { createClient, isClientError } from "../src/index.ts"
import { DisconnectingProxy } from "./support/DisconnectingProxy.ts"
import { startService, type testSpecifications } from "./support/service.ts"

const token = "administration-token-of-this-test"

const withService = async (
  test: (url: string, proxy: DisconnectingProxy, service: Awaited<ReturnType<typeof startService>>) => Promise<void>
) => {
  const service = await startService(new ScriptedModel(() => [endPart]).layer)
  const { port, stop } = await service.listen()
  const proxy = await DisconnectingProxy.start()
  proxy.port = port
  try {
    await test(proxy.url, proxy, service)
  } finally {
    await proxy.close()
    await stop()
    await service.dispose()
  }
}

it("administers accounts, and makes a change once although its response is lost", () =>
  withService(async (url, proxy, service) => {
    const { key } = await service.createAccount()
    const admin = createAdminClient({ url, token })
    const client = createClient<typeof testSpecifications>({ url, key })
    await client.tools.test_price({ coin: "BTC" })
    const { accounts } = await admin.accounts({ limit: 1 })
    const [account] = accounts
    assert(account !== undefined)
    expect(await admin.account(account.id)).toEqual(account)

    // The first response to each change is cut after the service has made the change.
    let changes = 0
    proxy.planCut = (line) => {
      if (!/^(POST|PATCH|DELETE) \/admin/u.test(line)) return undefined
      changes++
      return changes % 2 === 1 ? { bytes: 0, end: "close" } : undefined
    }
    const adjusted = await admin.adjustCredits(account.id, { kind: "grant", amount: 500, reason: "Welcome" })
    expect(adjusted.credits.adjusted).toBe(500)
    expect((await admin.changeAccount(account.id, { status: "suspended", reason: "unpaid" })).status).toBe("suspended")
    expect((await admin.changeAccount(account.id, { status: "active" })).status).toBe("active")
    const [apiKey] = (await admin.keys(account.id)).keys
    await admin.revokeKey(apiKey!.id)
    expect(await admin.revokeAll(account.id)).toEqual({ keys: 0, sessions: 0 })
    expect(proxy.cuts).toBe(5)

    expect((await admin.adjustments(account.id)).adjustments.map(({ amount }) => amount)).toEqual([500])
    const { events } = await admin.events({ account: account.id })
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type !== "account.created" && type !== "key.issued")).toEqual([
      "credits.adjusted",
      "account.suspended",
      "account.reactivated",
      "key.revoked",
      "access.revoked"
    ])
    expect((await admin.calls(account.id)).calls).toMatchObject([{ operation: "test_price", credits: 5 }])
    expect((await admin.usage({ group_by: "account,operation" })).lines).toMatchObject([
      { account: account.id, operation: "test_price", calls: 1, credits: 5 }
    ])
    expect(await admin.usageCsv({ group_by: "operation" })).toMatch(/^operation,.*\r\ntest_price,/u)
    expect(await admin.metrics()).toContain("tapeline_calls")
    expect([await admin.answers(account.id), await admin.tasks(account.id)]).toEqual([{ answers: [] }, { tasks: [] }])
  }))

it("fails with the service's error for a wrong token, and sends no cookie", () =>
  withService(async (url) => {
    const sent: Array<RequestInit | undefined> = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      sent.push(init)
      return globalThis.fetch(input, init)
    }
    const error: unknown = await createAdminClient({ url, token: "wrong", fetch }).accounts().catch((error) => error)
    assert(isClientError(error) && error._tag === "InvalidKey")
    expect(sent.map((init) => init?.credentials)).toEqual(["omit"])
    expect(() => createAdminClient({ url, token: "with space" })).toThrow(/without spaces/u)
  }))
