import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { makeEmbeddingsResponse } from "./fakeEmbeddings.ts"
import type { FakeReply, FakeRequestRecord, FakeResponseStep, FakeScript } from "./fakeReply.ts"
import { type Dialect, makeChatDialect, makeResponsesDialect } from "./fakeStream.ts"

export type { FakeReply, FakeRequest, FakeRequestRecord, FakeResponseStep, FakeScript } from "./fakeReply.ts"

export interface FakeModelOptions {
  readonly script: FakeScript
  /** The port of the fake server, by default a free port. */
  readonly port?: number
  /** The dimension of embeddings if a request does not set a dimension; 8 by default. */
  readonly dimension?: number
}

/** A fake model server for tests. The script can also make the server behave incorrectly. */
export interface FakeModel {
  /** The value for `OPENAI_BASE_URL`: `http://127.0.0.1:port/v1`. */
  readonly baseUrl: string
  readonly log: () => ReadonlyArray<FakeRequestRecord>
  /** Releases a named cue. Current and later responses no longer wait for the cue. */
  readonly cue: (name: string) => void
  /** Waits until `findInLog` returns a result. The server calls `findInLog` after every change of the request log. */
  readonly waitFor: <A extends object>(
    findInLog: (log: ReadonlyArray<FakeRequestRecord>) => A | undefined
  ) => Promise<A>
  /**
   * Replaces the script of the fake server. The numbers of the requests continue after the last number of the earlier
   * script.
   */
  readonly useScript: (script: FakeScript) => void
  readonly close: () => Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text)
    // The cast is safe, because the type of every field is `unknown`.
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : null
  } catch {
    return null
  }
}

class CueRegistry {
  private readonly cues = new Map<string, PromiseWithResolvers<void>>()

  private getCue(name: string): PromiseWithResolvers<void> {
    const cue = this.cues.get(name) ?? Promise.withResolvers<void>()
    this.cues.set(name, cue)
    return cue
  }

  release(name: string): void {
    this.getCue(name).resolve()
  }

  wait(name: string): Promise<void> {
    return this.getCue(name).promise
  }
}

class ResponseWriter {
  readonly closed: Promise<unknown>
  private readonly response: ServerResponse
  private readonly request: FakeRequestRecord
  private readonly onChange: () => void
  private wasCut = false

  constructor(response: ServerResponse, request: FakeRequestRecord, onChange: () => void) {
    this.response = response
    this.request = request
    this.onChange = onChange
    this.closed = once(response, "close").then(() => {
      request.closedAt = Date.now()
      request.closedBy = response.writableFinished || this.wasCut ? "server" : "client"
      onChange()
    })
  }

  get isOver(): boolean {
    return this.request.closedAt !== null || this.response.destroyed
  }

  /** Writes bytes, and waits while the client's buffer is full. */
  async write(bytes: string | Uint8Array): Promise<void> {
    if (this.isOver) return
    this.request.writes++
    this.request.bytes += Buffer.byteLength(bytes)
    const isBuffered = this.response.write(bytes)
    this.onChange()
    if (!isBuffered) await Promise.race([once(this.response, "drain"), this.closed])
  }

  cut(): void {
    this.wasCut = true
    this.response.socket?.destroySoon()
  }

  end(body?: string): void {
    if (this.isOver) return
    if (body !== undefined) {
      this.request.writes++
      this.request.bytes += Buffer.byteLength(body)
    }
    this.response.end(body)
  }
}

/**
 * Plays the steps of a response. Returns "over" if the response has already ended, and "without done" if the response
 * must end without `[DONE]`.
 */
const playActs = async (
  acts: ReadonlyArray<FakeResponseStep>,
  dialect: Dialect,
  answer: ResponseWriter,
  cues: CueRegistry
): Promise<"whole" | "without done" | "over"> => {
  let isDone = true
  for (const act of acts) {
    if (answer.isOver) return "over"
    if (act === "noDone") isDone = false
    else if (act === "end") return "over"
    else if (act === "cut") {
      answer.cut()
      return "over"
    } else if (act === "stall") await answer.closed
    else if ("awaitCue" in act) await Promise.race([cues.wait(act.awaitCue), answer.closed])
    else if ("pauseMs" in act) await Promise.race([setTimeout(act.pauseMs), answer.closed])
    else if ("raw" in act) await answer.write(act.raw)
    else if ("data" in act) {
      const data = typeof act.data === "string" ? act.data : JSON.stringify(act.data)
      await answer.write(`${act.event === undefined ? "" : `event: ${act.event}\n`}data: ${data}\n\n`)
    } else for (const piece of dialect.encodeStep(act)) await answer.write(piece)
  }
  return isDone ? "whole" : "without done"
}

const replyToRequest = async (
  reply: FakeReply,
  request: FakeRequestRecord,
  { answer, cues, dimension, response }: {
    readonly answer: ResponseWriter
    readonly cues: CueRegistry
    readonly dimension: number
    readonly response: ServerResponse
  }
): Promise<void> => {
  if (reply.silent === true) {
    await answer.closed
    return
  }
  if (reply.awaitCue !== undefined) await Promise.race([cues.wait(reply.awaitCue), answer.closed])
  if (answer.isOver) return
  const isEmbedding = request.path.endsWith("/embeddings")
  if (reply.status !== undefined || reply.body !== undefined || isEmbedding) {
    const body = reply.body ??
      (isEmbedding && reply.status === undefined ? makeEmbeddingsResponse(request.body, dimension) : {})
    const type = typeof body === "string" ? "text/plain" : "application/json"
    response.writeHead(reply.status ?? 200, { "content-type": type, ...reply.headers })
    answer.end(typeof body === "string" ? body : JSON.stringify(body))
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers })
  response.flushHeaders()
  const model = request.body?.["model"]
  const dialect = request.path.endsWith("/responses") ? makeResponsesDialect(model) : makeChatDialect(model)
  const result = await playActs(reply.acts ?? [], dialect, answer, cues)
  if (result !== "over") { for (const piece of dialect.end(result === "whole")) await answer.write(piece) }
  answer.end()
}

/**
 * Handles a request that controls the fake server. Returns undefined for a request that does not control the fake
 * server.
 */
const handleControlRequest = (
  { method, url = "" }: IncomingMessage,
  body: string,
  model: Pick<FakeModel, "cue" | "log" | "useScript">
): unknown => {
  if (url === "/fake/log" && method === "GET") return model.log()
  if (url.startsWith("/fake/cue/") && method === "POST") {
    model.cue(decodeURIComponent(url.slice("/fake/cue/".length)))
    return {}
  }
  if (url === "/fake/script" && method === "POST") {
    const script: ReadonlyArray<FakeReply> = JSON.parse(body)
    model.useScript(script)
    return {}
  }
  return undefined
}

/**
 * Starts a fake model server on the loopback interface, with its API under `/v1`. Tests in another process read the log
 * at `GET /fake/log`, release cues at `POST /fake/cue/<name>`, and replace the script with JSON at `POST /fake/script`.
 */
export const startFakeModel = async (options: FakeModelOptions): Promise<FakeModel> => {
  const log: Array<FakeRequestRecord> = []
  const cues = new CueRegistry()
  const watchers = new Set<() => void>()
  const notifyWatchers = () => watchers.forEach((watcher) => watcher())
  let script = options.script
  let replyCount = 0
  const replyTo = (record: FakeRequestRecord): FakeReply =>
    typeof script === "function" ? script(record) : script[Math.min(replyCount++, script.length - 1)] ?? {}
  const model = {
    log: () => log,
    cue: (name: string) => cues.release(name),
    useScript: (newScript: FakeScript) => {
      script = newScript
      replyCount = 0
    }
  }
  const server = createServer((request, response) => {
    const serve = async () => {
      const text = await readBody(request)
      const controlResponse = handleControlRequest(request, text, model)
      if (controlResponse !== undefined) {
        response.end(JSON.stringify(controlResponse))
        return
      }
      const record: FakeRequestRecord = {
        n: log.length + 1,
        path: request.url ?? "",
        headers: request.headers,
        body: parseObject(text),
        askedAt: Date.now(),
        writes: 0,
        bytes: 0,
        closedAt: null,
        closedBy: null
      }
      log.push(record)
      const answer = new ResponseWriter(response, record, notifyWatchers)
      notifyWatchers()
      await replyToRequest(replyTo(record), record, { answer, cues, dimension: options.dimension ?? 8, response })
    }
    // If a request body breaks off, or a script is faulty, only the request's own connection is closed.
    serve().catch(() => response.destroy())
  })
  server.listen(options.port ?? 0, "127.0.0.1")
  await once(server, "listening")
  // The cast is safe, because a server that listens on TCP has an `AddressInfo`.
  const { port } = server.address() as AddressInfo
  return {
    ...model,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    waitFor: (find) => {
      const { promise, resolve } = Promise.withResolvers<NonNullable<ReturnType<typeof find>>>()
      const watcher = () => {
        const value = find(log)
        if (value === undefined || value === null) return
        watchers.delete(watcher)
        resolve(value)
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
