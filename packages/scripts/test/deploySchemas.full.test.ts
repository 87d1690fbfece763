import { findProgram, skipUnless } from "@tapeline/testing/programs"
import { Deployment } from "kubernetes-models/apps/v1"
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1"
import { Namespace, Service } from "kubernetes-models/v1"
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"

const deployDir = resolve(import.meta.dirname, "../../../deploy")
const dir = join(deployDir, "kubernetes")

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

interface Model {
  new(): { readonly validate: () => void }
  readonly apiVersion: string
  readonly kind: string
}

const models = new Map(
  ([
    Deployment,
    HorizontalPodAutoscaler,
    Namespace,
    NetworkPolicy,
    PodDisruptionBudget,
    Service
  ] as const satisfies ReadonlyArray<Model>).map((
    model
  ): [string, Model] => [`${model.apiVersion} ${model.kind}`, model])
)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Returns a copy of a value that reports each path that is read. */
const observe = (value: unknown, path: string, report: (path: string) => void): unknown => {
  if (!isObject(value)) return value
  const copy = Array.isArray(value)
    ? value.map((item, i) => observe(item, `${path}/${i}`, report))
    : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, observe(part, `${path}/${key}`, report)]))
  return new Proxy(copy, {
    get: (target, key) => {
      report(`${path}/${String(key)}`)
      return Reflect.get(target, key)
    }
  })
}

const listPaths = (value: unknown, path = ""): ReadonlyArray<string> =>
  isObject(value)
    ? Object.entries(value).flatMap(([key, part]) => [`${path}/${key}`, ...listPaths(part, `${path}/${key}`)])
    : []

/**
 * Returns what is wrong with a manifest. The schemas accept unknown fields. A field that the validation does not read
 * is unknown, for example because its name is misspelled.
 */
const findErrors = (manifest: Manifest): ReadonlyArray<string> => {
  const model = models.get(`${manifest.apiVersion} ${manifest.kind}`)
  if (model === undefined) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`]
  const readPaths = new Set(Object.keys(manifest).map((key) => `/${key}`))
  // The constructor would read and copy everything.
  const instance = Object.assign(new model(), observe(manifest, "", (path) => readPaths.add(path)))
  try {
    instance.validate()
  } catch (error) {
    return [String(error)]
  }
  return listPaths(manifest).filter((path) => !readPaths.has(path)).map((path) => `${path} is unknown`)
}

/** A custom resource of the Prometheus operator, and the input of kustomize, have no schema in Kubernetes. */
const kindsWithoutSchema = new Set(["Kustomization", "PodMonitor"])

const manifests = globSync("**/*.yaml", { cwd: dir }).sort().flatMap((file) =>
  // The cast is safe, because a document without these fields has no schema, which fails the test.
  parseAllDocuments(readFileSync(join(dir, file), "utf8")).map((document) => document.toJS() as Manifest)
).filter(({ kind }) => !kindsWithoutSchema.has(kind))

it.each(manifests)("$kind has the schema of Kubernetes, without unknown fields", (manifest) => {
  expect(findErrors(manifest)).toEqual([])
})

it("detects wrong types, missing fields and misspelled fields", () => {
  const deployment = manifests.find(({ kind }) => kind === "Deployment")!
  const change = (from: string, to: string): Manifest => JSON.parse(JSON.stringify(deployment).replace(from, to))
  expect(findErrors(change("\"readinessProbe\"", "\"readynessProbe\""))[0]).toMatch(/readynessProbe is unknown/u)
  expect(findErrors(change("\"containerPort\":8787", "\"containerPort\":\"8787\""))[0]).toMatch(/must be integer/u)
  expect(findErrors(change("\"selector\"", "\"select\""))[0]).toMatch(/must have required property selector/u)
})

const analyzer = findProgram("systemd-analyze")

describe("the systemd unit", skipUnless("systemd-analyze: install systemd", analyzer !== null), () => {
  it("has no unknown setting, value or dependency", () => {
    const { stderr, stdout } = spawnSync(analyzer!, ["verify", "--man=no", join(deployDir, "tapeline.service")], {
      encoding: "utf8"
    })
    // Only the program is missing, because the unit is for an installation in this folder.
    expect(`${stdout}${stderr}`.replace(/^.*Command \/opt\/tapeline\/\S+ is not executable: .*\n/mu, "")).toBe("")
  })
})
