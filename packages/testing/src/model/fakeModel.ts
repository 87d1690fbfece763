import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { fakeEmbeddings } from "./fakeEmbeddings.ts"
import type { FakeAct, FakeAsked, FakeReply, FakeScript } from "./fakeReply.ts"
import { chatDialect, type Dialect, responsesDialect } from "./fakeStream.ts"

export type { FakeAct, FakeAsked, FakeReply, FakeRequest, FakeScript } from "./fakeReply.ts"

export interface FakeModelOptions {
  readonly script: FakeScript
  /** Default: a free port. */
  readonly port?: number
  /** The dimension of embeddings if a request does not set one; 8 by default. */
  readonly dimension?: number
}

/** A fake model server. Its script decides whether it behaves well. */
export interface FakeModel {
  /** The value for `OPENAI_BASE_URL`: `http://127.0.0.1:port/v1`. */
  readonly baseUrl: string
  /** All requests in order, with their results. */
  readonly log: () => ReadonlyArray<FakeAsked>
  /** Continues answers that wait for this cue, now or later. */
  readonly cue: (name: string) => void
  /** Resolves once `look` finds a result in the log. `look` runs after every change. */
  readonly until: <A extends object>(look: (log: ReadonlyArray<FakeAsked>) => A | undefined) => Promise<A>
  /** Replaces the script. The count of requests continues. */
  readonly play: (script: FakeScript) => void
  readonly close: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const objectOf = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text)
    // Every field is unknown.
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : null
  } catch {
    return null
  }
}

/** Named cues that are called once, and their waiters. */
class Cues {
  private readonly cues = new Map<string, PromiseWithResolvers<void>>()

  private of(name: string): PromiseWithResolvers<void> {
    const cue = this.cues.get(name) ?? Promise.withResolvers<void>()
    this.cues.set(name, cue)
    return cue
  }

  call(name: string): void {
    this.of(name).resolve()
  }

  wait(name: string): Promise<void> {
    return this.of(name).promise
  }
}

/** The response to one request while it is written. */
class Answer {
  readonly gone: Promise<unknown>
  private readonly response: ServerResponse
  private readonly asked: FakeAsked
  private readonly changed: () => void
  private isCut = false

  constructor(response: ServerResponse, asked: FakeAsked, changed: () => void) {
    this.response = response
    this.asked = asked
    this.changed = changed
    this.gone = once(response, "close").then(() => {
      asked.closedAt = Date.now()
      asked.closedBy = response.writableFinished || this.isCut ? "server" : "client"
      changed()
    })
  }

  get isOver(): boolean {
    return this.asked.closedAt !== null || this.response.destroyed
  }

  /** Writes bytes, and waits while the client's buffer is full. */
  async write(bytes: string | Uint8Array): Promise<void> {
    if (this.isOver) return
    this.asked.writes++
    this.asked.bytes += Buffer.byteLength(bytes)
    const isTaken = this.response.write(bytes)
    this.changed()
    if (!isTaken) await Promise.race([once(this.response, "drain"), this.gone])
  }

  cut(): void {
    this.isCut = true
    this.response.socket?.destroySoon()
  }

  end(body?: string): void {
    if (this.isOver) return
    if (body !== undefined) {
      this.asked.writes++
      this.asked.bytes += Buffer.byteLength(body)
    }
    this.response.end(body)
  }
}

/** Plays the acts of an answer. Returns whether the answer is complete, lacks `[DONE]`, or is already over. */
const take = async (
  acts: ReadonlyArray<FakeAct>,
  dialect: Dialect,
  answer: Answer,
  cues: Cues
): Promise<"whole" | "without done" | "over"> => {
  let isDone = true
  for (const act of acts) {
    if (answer.isOver) return "over"
    if (act === "noDone") isDone = false
    else if (act === "end") return "over"
    else if (act === "cut") {
      answer.cut()
      return "over"
    } else if (act === "stall") await answer.gone
    else if ("awaitCue" in act) await Promise.race([cues.wait(act.awaitCue), answer.gone])
    else if ("pauseMs" in act) await Promise.race([setTimeout(act.pauseMs), answer.gone])
    else if ("raw" in act) await answer.write(act.raw)
    else if ("data" in act) {
      const data = typeof act.data === "string" ? act.data : JSON.stringify(act.data)
      await answer.write(`${act.event === undefined ? "" : `event: ${act.event}\n`}data: ${data}\n\n`)
    } else for (const piece of dialect.act(act)) await answer.write(piece)
  }
  return isDone ? "whole" : "without done"
}

const play = async (
  reply: FakeReply,
  asked: FakeAsked,
  { answer, cues, dimension, response }: {
    readonly answer: Answer
    readonly cues: Cues
    readonly dimension: number
    readonly response: ServerResponse
  }
): Promise<void> => {
  if (reply.silent === true) {
    await answer.gone
    return
  }
  if (reply.awaitCue !== undefined) await Promise.race([cues.wait(reply.awaitCue), answer.gone])
  if (answer.isOver) return
  const isEmbedding = asked.path.endsWith("/embeddings")
  if (reply.status !== undefined || reply.body !== undefined || isEmbedding) {
    const body = reply.body ?? (isEmbedding && reply.status === undefined ? fakeEmbeddings(asked.body, dimension) : {})
    const type = typeof body === "string" ? "text/plain" : "application/json"
    response.writeHead(reply.status ?? 200, { "content-type": type, ...reply.headers })
    answer.end(typeof body === "string" ? body : JSON.stringify(body))
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers })
  response.flushHeaders()
  const model = asked.body?.["model"]
  const dialect = asked.path.endsWith("/responses") ? responsesDialect(model) : chatDialect(model)
  const ended = await take(reply.acts ?? [], dialect, answer, cues)
  if (ended !== "over") { for (const piece of dialect.end(ended === "whole")) await answer.write(piece) }
  answer.end()
}

/** Answers the fake's own paths, for tests in another process. Returns undefined for other paths. */
const control = (
  { method, url = "" }: IncomingMessage,
  body: string,
  model: Pick<FakeModel, "cue" | "log" | "play">
): unknown => {
  if (url === "/fake/log" && method === "GET") return model.log()
  if (url.startsWith("/fake/cue/") && method === "POST") {
    model.cue(decodeURIComponent(url.slice("/fake/cue/".length)))
    return {}
  }
  if (url === "/fake/script" && method === "POST") {
    const script: ReadonlyArray<FakeReply> = JSON.parse(body)
    model.play(script)
    return {}
  }
  return undefined
}

/**
 * Starts a fake on the loopback interface. Tests in another process read its log at `GET /fake/log` and call cues at
 * `POST /fake/cue/<name>`. They replace the script, as JSON, at `POST /fake/script`. The API is under `/v1`.
 */
export const startFakeModel = async (options: FakeModelOptions): Promise<FakeModel> => {
  const log: Array<FakeAsked> = []
  const cues = new Cues()
  const watchers = new Set<() => void>()
  const changed = () => watchers.forEach((watcher) => watcher())
  let script = options.script
  let played = 0
  const replyTo = (asked: FakeAsked): FakeReply =>
    typeof script === "function" ? script(asked) : script[Math.min(played++, script.length - 1)] ?? {}
  const model = {
    log: () => log,
    cue: (name: string) => cues.call(name),
    play: (next: FakeScript) => {
      script = next
      played = 0
    }
  }
  const server = createServer((request, response) => {
    const serve = async () => {
      const text = await bodyOf(request)
      const own = control(request, text, model)
      if (own !== undefined) {
        response.end(JSON.stringify(own))
        return
      }
      const asked: FakeAsked = {
        n: log.length + 1,
        path: request.url ?? "",
        headers: request.headers,
        body: objectOf(text),
        askedAt: Date.now(),
        writes: 0,
        bytes: 0,
        closedAt: null,
        closedBy: null
      }
      log.push(asked)
      const answer = new Answer(response, asked, changed)
      changed()
      await play(replyTo(asked), asked, { answer, cues, dimension: options.dimension ?? 8, response })
    }
    // A request that ends before its body, or a faulty script, closes only its own connection.
    serve().catch(() => response.destroy())
  })
  server.listen(options.port ?? 0, "127.0.0.1")
  await once(server, "listening")
  // The server listens on TCP, so its address is an `AddressInfo`.
  const { port } = server.address() as AddressInfo
  return {
    ...model,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    until: (look) => {
      const { promise, resolve } = Promise.withResolvers<NonNullable<ReturnType<typeof look>>>()
      const watcher = () => {
        const found = look(log)
        if (found === undefined || found === null) return
        watchers.delete(watcher)
        resolve(found)
      }
      watchers.add(watcher)
      watcher()
      return promise
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    }
  }
}
