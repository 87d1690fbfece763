import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { parse } from "yaml"
import { root } from "../src/manifest.ts"
import { readAlertRules } from "../src/monitoring/queries.ts"

const readDeployed = (path: string): string => readFileSync(join(root, "deploy", path), "utf8")
const parseYaml = (path: string): unknown => parse(readDeployed(path), { merge: true })

interface Compose {
  readonly services: Readonly<
    Record<string, {
      readonly image: string
      readonly mem_limit?: string
      readonly ports?: ReadonlyArray<string>
      readonly environment?: Readonly<Record<string, string>>
    }>
  >
}

interface Deployment {
  readonly spec: {
    readonly progressDeadlineSeconds: number
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly containers: ReadonlyArray<{
          readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
          readonly resources: { readonly limits: { readonly memory: string } }
          readonly startupProbe: { readonly periodSeconds: number; readonly failureThreshold: number }
        }>
      }
    }
  }
}

interface NetworkPolicy {
  readonly spec: { readonly egress: ReadonlyArray<{ readonly ports: ReadonlyArray<{ readonly port: number }> }> }
}

// The types of YAML files are correct, because each test fails if a field that it reads is absent.
const deployment = parseYaml("kubernetes/deployment.yaml") as Deployment
const { metadata: { labels }, spec: { containers: [container] } } = deployment.spec.template

const serversOf = (file: string) =>
  // As for the Deployment.
  Object.values((parseYaml(file) as Compose).services).filter(({ image }) => image === "tapeline")

const bytesOf = (size: string): number => {
  const [, digits, unit] = /^(\d+)(m|g|Mi)$/u.exec(size)!
  return Number(digits) * 2 ** (unit === "g" ? 30 : 20)
}

it("the alert of high memory fires at three quarters of the smallest memory limit", () => {
  const limits = [
    container!.resources.limits.memory,
    ...["compose.yaml", "compose.cluster.yaml"].flatMap(serversOf).map(({ mem_limit }) => mem_limit!)
  ].map(bytesOf)
  expect(limits.length).toBe(4)
  const { expr } = readAlertRules().find(({ alert }) => alert === "TapelineMemory")!
  const threshold = Number(/> (\S+)$/u.exec(expr)![1])
  expect(threshold / Math.min(...limits)).toBeCloseTo(0.75, 2)
})

it("limits the threads of servers that have less than 2 GB of memory", () => {
  const small = serversOf("compose.cluster.yaml")
  expect(small.every(({ mem_limit }) => bytesOf(mem_limit!) < 2 ** 31)).toBe(true)
  const literals = readDeployed("kubernetes/kustomization.yaml")
  for (const name of ["TAPELINE_COMPUTE_THREADS", "TAPELINE_SANDBOXES"]) {
    const [, threads] = new RegExp(`- ${name}=(\\d+)`, "u").exec(literals)!
    expect(small.map(({ environment }) => environment![name]), name).toEqual([threads, threads])
  }
})

it("publishes all ports of each of the two servers of Compose on this machine only, at different ports", () => {
  const ports = serversOf("compose.cluster.yaml").map((server) => (server.ports ?? []).map((port) => port.split(":")))
  const served = container!.ports.map(({ containerPort }) => String(containerPort))
  expect(ports.map((all) => all.map(([, , port]) => port))).toEqual([served, served])
  expect(new Set(ports.flat().map(([address]) => address))).toEqual(new Set(["127.0.0.1"]))
  expect(new Set(ports.flat().map(([, port]) => port)).size).toBe(4)
})

it("waits for the migrations of a start as long as the startup probe of Kubernetes", () => {
  const { failureThreshold, periodSeconds } = container!.startupProbe
  const startupSeconds = failureThreshold * periodSeconds
  expect(deployment.spec.progressDeadlineSeconds).toBeGreaterThan(startupSeconds)
  expect(/^HEALTHCHECK .*--start-period=(\d+)m /mu.exec(readDeployed("Containerfile"))![1]).toBe(
    String(startupSeconds / 60)
  )
})

it("allows the ports of all default addresses of market sources in the network policy", () => {
  const ports = globSync("packages/{market-live,server}/src/**/*.ts", { cwd: root }).flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/["'`](?:https|wss):\/\/[a-z\d.-]+\.[a-z]+(?::(\d+))?[/"'`]/gu)]
      .map(([, port = "443"]) => Number(port))
  )
  expect(ports.length).toBeGreaterThan(30)
  expect(new Set(ports).size).toBeGreaterThan(1)
  // As for the Deployment.
  const { spec: { egress } } = parseYaml("kubernetes/networkpolicy.yaml") as NetworkPolicy
  expect(new Set(egress.at(-1)!.ports.map(({ port }) => port))).toEqual(new Set(ports))
})

it("gives the processes of a PodMonitor the job name of the rules", () => {
  const jobLabel = "app.kubernetes.io/name"
  expect(parseYaml("kubernetes/monitoring/podmonitor.yaml")).toMatchObject({
    kind: "PodMonitor",
    spec: {
      jobLabel,
      selector: { matchLabels: labels },
      podMetricsEndpoints: [{ port: container!.ports[1]!.name, path: "/metrics", interval: "15s" }]
    }
  })
  expect(labels[jobLabel]).toBe("tapeline")
  for (const { expr } of readAlertRules()) expect(expr).toContain(`job="${labels[jobLabel]}"`)
})
