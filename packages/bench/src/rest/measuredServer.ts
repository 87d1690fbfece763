import { startProgram } from "@tapeline/testing/programs"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * The memory of a process in MB. `rss` and `peak` describe the complete process, and the other values describe the main
 * thread.
 */
export interface Memory {
  readonly rss: number
  readonly peak: number
  readonly heapUsed: number
  readonly heapTotal: number
  readonly external: number
}

/** A phase of the server's startup. The server logs the start and end of the phase, in ms since the process began. */
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
  /** Waits until the server has logged a text. */
  readonly waitForLog: (text: string) => Promise<void>
  readonly stop: () => Promise<void>
}

const toMegabytes = (bytes: number): number => bytes / 1_000_000

/** Returns a value of Linux's `/proc` in MB, or NaN if the operating system does not report the value. */
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
const logIntervalMs = 50
const logTimeoutMs = 120_000

const waitUntilReady = async (address: string): Promise<void> => {
  const deadline = performance.now() + readinessTimeoutMs
  for (;;) {
    const { status } = await fetch(`${address}/readyz`)
    if (status === 200) return
    if (performance.now() > deadline) throw new Error(`${address}/readyz returned ${status}`)
    await new Promise((resolve) => setTimeout(resolve, readinessIntervalMs))
  }
}

export const startMeasuredServer = async (
  file: string,
  flags: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {}
): Promise<MeasuredServer & { readonly lines: ReadonlyArray<string> }> => {
  const startedAt = performance.now()
  const { child, end, output, started } = startProgram({
    args: [...flags, "--import", join(import.meta.dirname, "reportMemory.ts"), file],
    environment,
    hasChannel: true,
    pattern: /^(?:Tapeline )?listens on (\S+)/m
  })
  const { 1: address, input } = await started
  await waitUntilReady(address!)
  const readyMs = performance.now() - startedAt
  const parts = (): ReadonlyArray<StartupPart> => {
    const line = output.stderr.split("\n").find((one) => one.includes(`"parts_ms"`))
    if (line === undefined) return []
    // The phases of the start are logged at the level Debug.
    const logged = JSON.parse(line) as { readonly annotations: { readonly parts_ms: ReadonlyArray<StartupPart> } }
    return logged.annotations.parts_ms
  }
  return {
    address: address!,
    lines: input.split("\n"),
    readyMs,
    get parts() {
      return parts()
    },
    memory: async () => {
      const reply = once(child, "message")
      child.send("memory")
      // The cast is safe, because `reportMemory.ts` sends the memory usage.
      const [{ external, heapTotal, heapUsed, rss }] = await reply as [NodeJS.MemoryUsage]
      return {
        rss: toMegabytes(rss),
        peak: readProcStatus(child.pid!, "VmHWM"),
        heapUsed: toMegabytes(heapUsed),
        heapTotal: toMegabytes(heapTotal),
        external: toMegabytes(external)
      }
    },
    waitForLog: async (text) => {
      const deadline = performance.now() + logTimeoutMs
      while (!output.stderr.includes(text)) {
        if (performance.now() > deadline) throw new Error(`The server did not log "${text}"`)
        await new Promise((resolve) => setTimeout(resolve, logIntervalMs))
      }
    },
    stop: async () => void await end("SIGTERM")
  }
}
