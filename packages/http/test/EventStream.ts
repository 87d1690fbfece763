import type { Json } from "@tapeline/api"
import { Effect } from "effect"
import { HttpServer } from "effect/http"

export interface ReceivedEvent {
  readonly raw: string
  readonly id: string
  readonly kind: string
  readonly data: Json
}

const parseEvent = (raw: string): ReceivedEvent => {
  const lines = raw.split("\n")
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ""
  return { raw, id: field("id"), kind: field("event"), data: JSON.parse(field("data")) }
}

export interface StreamRequest {
  readonly method?: string
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A stream of server-sent events on its own socket. Events can be read as soon as they arrive. */
export class EventStream {
  readonly status: number
  readonly headers: Headers
  text = ""
  readonly events: Array<ReceivedEvent> = []
  comments = 0
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #controller: AbortController
  readonly #decoder = new TextDecoder()
  #incomplete = ""

  constructor(response: Response, controller: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#reader = response.body?.getReader()
    this.#controller = controller
  }

  /** Reads until an event arrives, and returns true, or until the stream ends, and returns false. */
  async #readMore(): Promise<boolean> {
    const part = await this.#reader?.read()
    if (part === undefined || part.done) return false
    const text = this.#decoder.decode(part.value, { stream: true })
    this.text += text
    const blocks = (this.#incomplete + text).split("\n\n")
    this.#incomplete = blocks.pop() ?? ""
    for (const block of blocks) {
      if (block.startsWith(":")) this.comments++
      else this.events.push(parseEvent(block))
    }
    return true
  }

  /** Reads until `isEnough` returns true, and dies if the stream ends before. */
  readonly readUntil = (isEnough: (stream: EventStream) => boolean): Effect.Effect<this> =>
    Effect.promise(async () => {
      while (!isEnough(this)) if (!(await this.#readMore())) throw new Error(`the stream ended with ${this.text}`)
      return this
    })

  readonly readToEnd: Effect.Effect<this> = Effect.promise(async () => {
    while (await this.#readMore()) { /* reads until the end */ }
    return this
  })

  readonly disconnect: Effect.Effect<void> = Effect.sync(() => this.#controller.abort())

  eventsOfKind(kind: string): ReadonlyArray<ReceivedEvent> {
    return this.events.filter((event) => event.kind === kind)
  }
}

/** Opens a stream. The response need not be an event stream. */
export const openStream = Effect.fnUntraced(function*(path: string, { body, headers, key, method }: StreamRequest) {
  const { address } = yield* HttpServer.HttpServer
  const url = `${HttpServer.formatAddress(address)}${path}`
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const controller = new AbortController()
      const response = await fetch(url, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        signal: controller.signal,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return new EventStream(response, controller)
    }),
    (stream) => stream.disconnect
  )
})

/** Returns the text that the deltas of an answer form, with each delta at its offset. */
export const joinDeltas = (events: ReadonlyArray<ReceivedEvent>): string =>
  events.filter(({ kind }) => kind === "delta")
    .reduce((text, { data: { offset, text: more } }) => text.slice(0, offset) + more, "")
