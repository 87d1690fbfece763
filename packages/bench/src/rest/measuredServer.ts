import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

/**
 * The memory of a process, in MB. `rss` and `peak` concern the complete process, and the other values concern its
 * serving thread.
 */
export interface Memory {
  readonly rss: number
  /** The maximum resident memory (`rss`) so far. */
  readonly peak: number
  readonly heapUsed: number
  readonly heapTotal: number
  readonly external: number
}

/** A part of the server's start as the server logs it, in ms since the process began. */
export interface StartupPart {
  readonly name: string
  readonly from: number
  readonly to: number
}

export interface MeasuredServer {
  readonly address: string
  /** The time from the start of the process to the first 200 of `/readyz`, in ms. */
  readonly readyMs: number
  readonly parts: ReadonlyArray<StartupPart>
  readonly memory: () => Promise<Memory>
  readonly stop: () => Promise<void>
}

const toMegabytes = (bytes: number): number => bytes / 1_000_000

/** Returns a value of Linux's `/proc`, in MB. Returns NaN if the operating system does not report the value. */
const readProcStatus = (pid: number, name: string): number => {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) *
      1.024e-3
  } catch {
    return NaN
  }
}

const readinessIntervalMs = 5
const readinessTimeoutMs = 60_000

/** Requests `/readyz` until the response has status 200. */
const waitUntilReady = async (address: string): Promise<void> => {
  const deadline = performance.now() + readinessTimeoutMs
  for (;;) {
    const { status } = await fetch(`${address}/readyz`)
    if (status === 200) return
    if (performance.now() > deadline) throw new Error(`${address}/readyz says ${status}`)
    await new Promise((resolve) => setTimeout(resolve, readinessIntervalMs))
  }
}

/** Starts a program, and resolves when it is ready. */
export const startMeasuredServer = async (
  { environment = {}, file, flags = [], listenPattern }: {
    readonly file: string
    readonly flags?: ReadonlyArray<string>
    readonly environment?: Readonly<Record<string, string>>
    readonly listenPattern: RegExp
  }
): Promise<MeasuredServer & { readonly lines: ReadonlyArray<string> }> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, "--import", join(import.meta.dirname, "reportMemory.ts"), file], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"]
  })
  const ended = once(child, "exit")
  let log = ""
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    log += text
  })
  const lines: Array<string> = []
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      lines.push(line)
      const matchedAddress = listenPattern.exec(line)?.[1]
      if (matchedAddress !== undefined) resolve(matchedAddress)
    })
    void ended.then(() => reject(new Error(`${file} did not start: ${log}`)))
  })
  await waitUntilReady(address)
  const readyMs = performance.now() - startedAt
  const parts = (): ReadonlyArray<StartupPart> => {
    const line = log.split("\n").find((one) => one.includes(`"parts_ms"`))
    if (line === undefined) return []
    // The server logs this shape at the level Debug.
    const logged = JSON.parse(line) as { readonly annotations: { readonly parts_ms: ReadonlyArray<StartupPart> } }
    return logged.annotations.parts_ms
  }
  return {
    address,
    lines,
    readyMs,
    get parts() {
      return parts()
    },
    memory: async () => {
      const reply = once(child, "message")
      child.send("memory")
      // `reportMemory.ts` sends this message.
      const [{ external, heapTotal, heapUsed, rss }] = await reply as [NodeJS.MemoryUsage]
      return {
        rss: toMegabytes(rss),
        peak: readProcStatus(child.pid!, "VmHWM"),
        heapUsed: toMegabytes(heapUsed),
        heapTotal: toMegabytes(heapTotal),
        external: toMegabytes(external)
      }
    },
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    }
  }
}
