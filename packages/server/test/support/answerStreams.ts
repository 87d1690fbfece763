import { startFakeModel } from "@tapeline/testing/fakeModel"
import { Effect } from "effect"
import type { ServerProcess } from "./process.ts"
import { callAdminApi, createAccount } from "./service.ts"

export interface ReceivedEvent {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export const words = Array.from({ length: 12 }, (_, i) => `word-${i} `)

/** A fake model that requests a price, and that stalls during its first answer. */
export const startStallingModel = Effect.acquireRelease(
  Effect.promise(() => {
    let answers = 0
    return startFakeModel({
      script: ({ body }) => {
        if (!Array.isArray(body?.["tools"])) return { acts: [{ text: "And then?" }] }
        const isNext = JSON.stringify(body["messages"]).includes("go on")
        if (isNext) return { acts: [{ text: "All is said." }] }
        const hasLooked = JSON.stringify(body["messages"]).includes("\"role\":\"tool\"")
        if (!hasLooked) return { acts: [{ text: "Let me look." }, { call: "get_price", arguments: { coin: "BTC" } }] }
        const texts = words.map((text) => ({ text }))
        return { acts: answers++ === 0 ? [...texts.slice(0, 5), "stall"] : texts }
      }
    })
  }),
  (fake) => Effect.promise(() => fake.close())
)

/** Reads the events of a response until `isEnough` returns true or the response ends. */
export const readEvents = async (response: Response, isEnough: (events: ReadonlyArray<ReceivedEvent>) => boolean) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const events: Array<ReceivedEvent> = []
  let text = ""
  while (!isEnough(events)) {
    const { done, value } = await reader.read()
    if (done) break
    const blocks = (text + value).split("\n\n")
    text = blocks.pop()!
    for (const block of blocks) {
      const readField = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
      const data = readField("data")
      if (data !== undefined) events.push({ id: readField("id")!, event: readField("event")!, data: JSON.parse(data) })
    }
  }
  return events
}

/** Returns the text that a reader shows after these events. */
export const textOf = (events: ReadonlyArray<ReceivedEvent>): string =>
  events.filter(({ event }) => event === "delta")
    .reduce((text, { data }) => text.slice(0, Number(data["offset"])) + String(data["text"]), "")

/** Creates an account with a key that may ask the analyst. */
export const createChatKey = Effect.fnUntraced(function*(server: ServerProcess) {
  const { account } = yield* createAccount(server, "premium")
  const { key }: { readonly key: string } = yield* callAdminApi(server, "POST", `/accounts/${account}/keys`, {
    name: "chat",
    scopes: ["read:market", "agent:chat"]
  })
  return { account, key }
})

export const sendToAgent = (
  server: ServerProcess,
  key: string,
  path: string,
  init: { readonly method?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {}
) =>
  Effect.promise(() =>
    fetch(`${server.address}/v1/agent/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers }
    })
  )
