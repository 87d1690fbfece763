import { accountGroup, accountKeysGroup, makeCallerApi, sessionsGroup } from "@tapeline/api"
import { specifications } from "@tapeline/core/specifications"
import type { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { assert, expect, expectTypeOf, it } from "vitest"
import { makeClient } from "../src/effect.ts"
import type { CallFailed, Client, ClientError, ProblemError, ProblemErrorOf, ToolAnswer } from "../src/index.ts"
import { jsonResponse, makeTestClient, streamResponse } from "./support/fakeService.ts"
import type { testSpecifications } from "./support/service.ts"

it("types each tool as a method with its own arguments and result", () => {
  const compileOnly = async ({ call, tools }: Client) => {
    const { data } = await tools.get_price({ coin: "BTC" })
    expectTypeOf(data.price).toBeNumber()
    expectTypeOf(data.market_cap_usd).toEqualTypeOf<number | null>()
    await tools.get_market_overview()
    // @ts-expect-error -- a coin is required
    await tools.get_price()
    // @ts-expect-error -- there is no such argument
    await tools.get_price({ coin: "BTC", tpyo: 1 })
    // @ts-expect-error -- there is no such tool
    await tools.get_riches({})
    expectTypeOf(await call("get_riches", { any: "thing" })).toEqualTypeOf<ToolAnswer>()
  }
  assert.isFunction(compileOnly)
  type Names = keyof Client["tools"]
  expectTypeOf<Names>().toEqualTypeOf<(typeof specifications)[number]["name"]>()
  expectTypeOf<keyof Client<typeof testSpecifications>["tools"]>().toEqualTypeOf<"test_price" | "test_ping">()
})

it("narrows an error to its fields by tag", () => {
  expectTypeOf<ProblemErrorOf<"over_limit">["price"]>().toBeNumber()
  expectTypeOf<Extract<ProblemError, { readonly _tag: "RateLimited" }>["retry_after_seconds"]>().toBeNumber()
  const compileOnly = (error: ClientError) => {
    switch (error._tag) {
      case "ScopeRequired":
        return error.required_scope
      case "CallFailed":
        return expectTypeOf(error.candidates).toEqualTypeOf<CallFailed["candidates"]>()
      case "InvalidArguments":
        return error.issues[0]?.path
      // @ts-expect-error -- there is no such error
      case "Nothing":
        return 0
      default:
        return error.message
    }
  }
  assert.isFunction(compileOnly)
})

it("types the same methods as effects with their errors", () => {
  const client = makeClient({ url: "https://tapeline.example", key: "k" })
  type Price = ReturnType<typeof client.tools.get_price>
  expectTypeOf<Effect.Error<Price>>().toEqualTypeOf<ClientError>()
  expectTypeOf<Effect.Success<Price>["data"]["price"]>().toBeNumber()
})

it("has a method for every endpoint of the caller API", async () => {
  const declared = new Set<string>()
  const api = makeCallerApi([specifications[1]]).add(accountGroup).add(accountKeysGroup).add(sessionsGroup)
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => void declared.add(`${method} ${path}`)
  })
  const { requests, client } = makeTestClient(({ path }) => {
    if (path.includes("/stream") || path.includes("/resume")) return streamResponse([], "silent")
    return jsonResponse({ tool: "get_price", credits_left: 1, data: {}, messages: [], next_cursor: null })
  })
  const { agent, conversations } = client
  await client.tools.get_price({ coin: "BTC" })
  await client.catalogue({ area: "crypto", view: "parameters" })
  await client.usage({ month: "2026-11" })
  await client.quote([{ name: "get_price", count: 2 }])
  await client.chart("c")
  await Promise.all([client.openapi(), client.health(), client.readiness()])
  await agent.ask({ message: "why?" })
  await agent.cancel(7)
  await client.proposals.read("p_1_1.1")
  await client.proposals.accept("p_1_1.1")
  await client.proposals.dismiss("p_1_1.1")
  for (const events of [agent.stream({ message: "why?" }), agent.resume(7), client.notifications()]) {
    void events.next()
    await new Promise(setImmediate)
    await events.return()
  }
  await conversations.list({ limit: 2 })
  await conversations.read(7, { cursor: "c", order: "newest" })
  for await (const _ of conversations.messages(7)) assert.fail("there are no messages")
  await conversations.remove(7)
  const { account } = client
  await account.signIn("tl_link_")
  await account.read()
  await account.signInWays()
  await account.usage({ month: "2026-11" })
  await account.keys({ limit: 2 })
  await account.issueKey({ name: "laptop", scopes: ["read:us"] })
  await account.changeKey(8, { scopes: ["read:us"] })
  await account.rotateKey(8, { overlap_seconds: 60 })
  await account.revokeKey(8)
  await account.sessions({ cursor: 1 })
  await account.endSession(8)
  await account.endOtherSessions()
  await account.signOut()
  const template = (path: string) =>
    path.replace(/\?.*/, "").replace(/\/8(?=$|\/)/, "/:id").replace(/charts\/c$/, "charts/:id")
      .replace("p_1_1.1", ":proposal_id").replace(/\/7$/, "/:conv_id")
  const requestedRoutes = new Set(requests.map(({ method, path }) => `${method} ${template(path)}`))
  expect([...requestedRoutes].sort()).toEqual([...declared].sort())
})
