import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { makeCatalogue, pricedOperations, specifications } from "@tapeline/core/specifications"
import { expect, it } from "vitest"
import { makeServer, type Proposal, type Service, ServiceError } from "../src/index.ts"

const proposal: Proposal = {
  id: "p_12_1.1",
  tool: "update_position",
  arguments: { id: 17, stop: 58_000 },
  summary: "Change a position: stop `58000`"
}

/** Connects a host to a bridge over a fake service. `reply` is the user's reply to an elicitation. */
const connect = async (
  reply: "agree" | "disagree" | "decline" | undefined,
  accept: Service["acceptProposal"] = (id) =>
    Promise.resolve({ ...proposal, id, state: "accepted", envelope: { data: {} }, error: null })
) => {
  const accepted: Array<string> = []
  const messages: Array<string> = []
  const service: Service = {
    catalogue: () => Promise.resolve({ tools: makeCatalogue(specifications), operations: pricedOperations }),
    call: () => Promise.reject(new Error("not called")),
    ask: () =>
      Promise.resolve({
        answer: "So it is.",
        conversation_id: 5,
        outcome: "finished",
        suggestions: [],
        disclaimer: "By rules, without a language model",
        proposals: [proposal]
      }),
    acceptProposal: (id, signal) => {
      accepted.push(id)
      return accept(id, signal)
    }
  }
  const [near, far] = InMemoryTransport.createLinkedPair()
  const capabilities = reply === undefined ? {} : { elicitation: { form: {} } }
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities })
  if (reply !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      messages.push(params.message)
      return reply === "decline"
        ? { action: "decline" as const }
        : { action: "accept" as const, content: { agree: reply === "agree" } }
    })
  }
  await Promise.all([makeServer(service).connect(far), client.connect(near)])
  const ask = async () =>
    (await client.callTool({ name: "ask_analyst", arguments: { question: "x" } })).structuredContent
  return { accepted, ask, client, messages }
}

it("returns the proposals of an answer, which a destructive tool accepts", async () => {
  const { accepted, ask, client } = await connect(undefined)
  expect(await ask()).toMatchObject({
    disclaimer: "By rules, without a language model",
    proposals: [{ ...proposal, state: "open" }]
  })
  expect(accepted).toEqual([])
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === "accept_proposal")?.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true
  })
  const result = await client.callTool({ name: "accept_proposal", arguments: { id: proposal.id } })
  expect(result.structuredContent).toMatchObject({ id: proposal.id, state: "accepted" })
  for (const args of [{}, { id: 1 }, { id: proposal.id, arguments: {} }]) {
    expect((await client.callTool({ name: "accept_proposal", arguments: args })).isError).toBe(true)
  }
  expect(accepted).toEqual([proposal.id])
})

it("asks the user of a host with elicitation, and accepts only after the user agrees", async () => {
  const agreed = await connect("agree")
  expect(await agreed.ask()).toMatchObject({ proposals: [{ id: proposal.id, state: "accepted" }] })
  expect(agreed.accepted).toEqual([proposal.id])
  expect(agreed.messages[0]).toContain(proposal.summary)
  for (const reply of ["disagree", "decline"] as const) {
    const other = await connect(reply)
    expect(await other.ask()).toMatchObject({ proposals: [{ id: proposal.id, state: "open" }] })
    expect(other.accepted).toEqual([])
  }
})

it("reports the error of a failed acceptance, and no state that the bridge does not know", async () => {
  const problem = { code: "proposal_outdated", detail: "The record has changed." }
  for (const reason of [{ kind: "refused", problem }, { kind: "unreachable", message: problem.detail }] as const) {
    const { ask } = await connect("agree", () => Promise.reject(new ServiceError(reason)))
    expect(await ask()).toMatchObject({
      proposals: [{ state: "unknown", error: expect.stringContaining("has changed") }]
    })
  }
})
