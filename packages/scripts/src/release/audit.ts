import { spawnSync } from "node:child_process"
import { root } from "../manifest.ts"
import type { RuntimePackage } from "./runtimePackages.ts"

/** The result of an audit: an unavailable service, or a line for each known vulnerability of a runtime package. */
export type AuditResult =
  | { readonly unavailable: string }
  | { readonly severe: ReadonlyArray<string>; readonly other: ReadonlyArray<string> }

interface AuditReport {
  readonly message?: string
  readonly error?: { readonly summary?: string }
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly severity: string; readonly range: string; readonly via: ReadonlyArray<unknown> }>
  >
}

const titleOf = (via: ReadonlyArray<unknown>): string =>
  via.map((cause) =>
    typeof cause === "object" && cause !== null && "title" in cause ? String(cause.title) : `through ${String(cause)}`
  ).join("; ")

/** Reads the output of `npm audit --json`. Only vulnerabilities of `packages` count. */
export const parseAudit = (output: string, packages: Iterable<RuntimePackage>): AuditResult => {
  let report: AuditReport | null
  try {
    // npm writes a report or an error, and each use of a field checks the field.
    report = JSON.parse(output) as AuditReport | null
  } catch {
    return { unavailable: "npm audit returned no report" }
  }
  if (report?.vulnerabilities === undefined) {
    return { unavailable: report?.message ?? report?.error?.summary ?? "npm audit returned no vulnerabilities" }
  }
  const names = new Set([...packages].map(({ name }) => name))
  const found = Object.entries(report.vulnerabilities).filter(([name]) => names.has(name))
    .map(([name, { range, severity, via }]) => ({ severity, line: `${name} ${range} (${severity}): ${titleOf(via)}` }))
  const isSevere = (severity: string) => severity === "high" || severity === "critical"
  return {
    severe: found.filter(({ severity }) => isSevere(severity)).map(({ line }) => line),
    other: found.filter(({ severity }) => !isSevere(severity)).map(({ line }) => line)
  }
}

/** Returns known vulnerabilities of runtime packages, from the service of the package registry. */
export const auditPackages = (packages: Iterable<RuntimePackage>): AuditResult =>
  parseAudit(
    spawnSync("npm", ["audit", "--json", "--fetch-retries=0"], { cwd: root, encoding: "utf8", timeout: 60_000 }).stdout,
    packages
  )
