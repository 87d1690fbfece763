import { Clock, Effect } from "effect"
import { type Fault, malformed, seconds, unreachable } from "./fault.ts"

/** What came back, read whole. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Of a large answer: for how long it may come, and who is told while it does. Then `timeoutMs` is for silences. */
  readonly large?: { readonly ms: number; readonly arriving: (is: boolean) => void }
  readonly maxBytes: number
  readonly binary: boolean
  /** Of a form that is sent; else it is a GET. */
  readonly form?: string
}

class TooLarge extends Error {}
class NoText extends Error {}

/** The code that the system gave a failure, wherever among its causes it stands. */
const systemCode = (error: unknown): string | undefined => {
  let at: unknown = error
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if ("code" in at && typeof at.code === "string" && /^[A-Z0-9_]{2,40}$/u.test(at.code)) return at.code
    at = at.cause
  }
  return undefined
}

const charsetOf = (headers: Headers): string =>
  /charset=\s*"?([\w.:-]{1,40})/iu.exec(headers.get("content-type") ?? "")?.[1] ?? "utf-8"

const decoderOf = (headers: Headers): InstanceType<typeof TextDecoder> => {
  try {
    return new TextDecoder(charsetOf(headers), { fatal: true })
  } catch {
    throw new NoText()
  }
}

const textOf = (decoder: InstanceType<typeof TextDecoder>) => (bytes: Buffer): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new NoText()
  }
}

const readText = async (response: Response, { binary, maxBytes }: Sent, came: () => void): Promise<string> => {
  const decode = binary ? (bytes: Buffer) => bytes.toString("latin1") : textOf(decoderOf(response.headers))
  if (response.body === null) return ""
  const parts: Array<Uint8Array> = []
  let bytes = 0
  // The length of an answer is what was unpacked of it, so that a small one that unpacks to a huge one ends here too.
  for await (const part of response.body) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw new TooLarge()
    parts.push(part)
    came()
  }
  return decode(Buffer.concat(parts))
}

const faultOf = (error: unknown, maxBytes: number): Fault => {
  // It is not known what it would have said: as one that does not end in time, however fast it comes.
  if (error instanceof TooLarge) {
    return { ...unreachable(`its answer did not end within ${maxBytes} bytes`, false), isThere: true }
  }
  if (error instanceof NoText) return malformed("its answer is not the text that it says it is")
  const code = systemCode(error)
  return unreachable(`the connection failed${code === undefined ? "" : ` (${code})`}`)
}

/**
 * Fails when nothing came for `timeoutMs`, or when a large answer has come for as long as it may. It looks twice
 * within `timeoutMs` at most, however small the pieces are. Who told a part and no more is not asked again within the
 * call: its caller has waited for so long already.
 */
const silence = ({ large, timeoutMs }: Sent, lastAt: () => number | undefined): Effect.Effect<never, Fault> =>
  Effect.gen(function*() {
    const mostMs = large?.ms ?? timeoutMs
    const beganAt = yield* Clock.currentTimeMillis
    let sleepMs = timeoutMs
    while (true) {
      yield* Effect.sleep(sleepMs)
      const [at, now] = [lastAt(), yield* Clock.currentTimeMillis]
      if (at === undefined) return yield* Effect.fail(unreachable(`it did not answer within ${seconds(timeoutMs)}`))
      if (now - at >= timeoutMs) {
        return yield* Effect.fail(unreachable(`it fell silent for ${seconds(timeoutMs)}`, false))
      }
      const leftMs = beganAt + mostMs - now
      if (leftMs <= 0) return yield* Effect.fail(unreachable(`its answer did not end within ${seconds(mostMs)}`))
      // A clock that was set back makes no silence longer.
      sleepMs = Math.min(timeoutMs, at + timeoutMs - now, leftMs)
    }
  })

/**
 * One request, read whole, bounded in time and bytes: a GET, or where it has a form its sending. It follows no
 * redirection: a source that moved is told, not guessed.
 *
 * Node's own `fetch` does it: an interruption aborts it at any point through its signal, its body comes in pieces that
 * can be counted, and it needs no package. One timeout covers the headers and the body together, since a body that
 * drips for ever passes each timeout that only looks at the pieces; of a large one it covers the beginning and each
 * silence, and another one the whole. Timeouts are Effect's, so that tests move the clock.
 */
export const send = (sent: Sent): Effect.Effect<Received, Fault> => {
  const { form, headers, large, maxBytes, url } = sent
  const fetched = (came: () => void) =>
    Effect.tryPromise({
      try: async (signal) => {
        const ours = new AbortController()
        try {
          const response = await fetch(url, {
            headers: { accept: "*/*", ...headers },
            ...(form === undefined ? {} : { method: "POST", body: form }),
            redirect: "manual",
            signal: AbortSignal.any([signal, ours.signal])
          })
          return { status: response.status, headers: response.headers, text: await readText(response, sent, came) }
        } catch (error) {
          // What is not read to its end holds a connection until it is cut.
          ours.abort()
          throw error
        }
      },
      catch: (error) => faultOf(error, maxBytes)
    })
  return Effect.clockWith((clock) => {
    let lastAt: number | undefined
    const came = () => {
      if (large === undefined) return
      lastAt = clock.currentTimeMillisUnsafe()
      large.arriving(true)
    }
    return Effect.raceFirst(fetched(came), silence(sent, () => lastAt)).pipe(
      Effect.ensuring(Effect.sync(() => large?.arriving(false)))
    )
  })
}
