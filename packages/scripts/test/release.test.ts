import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { listPublishedPackages, readManifest, root } from "../src/manifest.ts"
import { withDependencies } from "../src/packages/withDependencies.ts"
import { parseAudit } from "../src/release/audit.ts"
import { findForbiddenLicences, isPermittedLicence } from "../src/release/licences.ts"
import { findRuntimePackages, listRuntimePackages, type LockedPackages } from "../src/release/runtimePackages.ts"
import { type Sbom, selectComponents } from "../src/release/sbom.ts"
import { compareVersions, filesWithVersion, releaseChangelog } from "../src/release/version.ts"

const { version } = readManifest(join(root, "package.json"))
const read = (path: string) => readFileSync(join(root, path), "utf8")

it("has one version in all manifests, the lock file, the programs and the manifests of Kubernetes", () => {
  for (const [path, text] of filesWithVersion(version)) expect(read(path), path).toBe(text)
})

it("writes a new version into every file with the version, and changes no version of another package", () => {
  const lines = (text: string) => text.split("\n")
  for (const [path, text] of filesWithVersion("7.8.9-rc.1")) {
    const before = lines(read(path))
    const changed = lines(text).flatMap((line, index) => line === before[index] ? [] : [[before[index], line] as const])
    expect(changed.length, path).toBeGreaterThan(0)
    for (const [old, line] of changed) {
      expect(line, path).toBe(old!.replace(version, "7.8.9-rc.1"))
      expect(line, path).toMatch(/"version": |"@tapeline\/|const version = |newTag: /u)
    }
  }
})

it("publishes every package with provenance and for everybody", () => {
  for (const { manifest: { name, publishConfig } } of listPublishedPackages()) {
    expect(publishConfig, name).toEqual({ access: "public", provenance: true })
  }
})

it("orders versions by their numbers, and a pre-release before its release", () => {
  const ordered = ["0.1.0", "0.2.0-rc.1", "0.2.0-rc.2", "0.2.0-rc.10", "0.2.0", "0.10.0", "1.0.0"]
  const index = fc.integer({ min: 0, max: ordered.length - 1 })
  fc.assert(fc.property(index, index, (a, b) => {
    expect(compareVersions(ordered[a]!, ordered[b]!)).toBe(Math.sign(a - b))
  }))
  for (const text of ["1.2", "v1.2.3", "1.2.3-", "", "1.2.3 ", "01.2.3", "1.2.3-rc..1", "1.2.3-rc.01", "1.2.3-."]) {
    expect(() => compareVersions(text, "1.0.0")).toThrow(/is no version/u)
  }
})

it("moves unreleased changes to the section of the version, and rejects an empty or repeated release", () => {
  const changelog = "# Changelog\n\nIntroduction.\n\n## Unreleased\n\n* A change.\n\n## 0.1.0\n\nThe first.\n"
  const released = releaseChangelog(changelog, "0.2.0", "2026-01-02")
  expect(released).toBe(
    "# Changelog\n\nIntroduction.\n\n## Unreleased\n\n## 0.2.0 (2026-01-02)\n\n* A change.\n\n## 0.1.0\n\nThe first.\n"
  )
  expect(() => releaseChangelog(released, "0.3.0", "2026-01-03")).toThrow(/is empty/u)
  expect(() => releaseChangelog(changelog, "0.1.0", "2026-01-03")).toThrow(/section 0\.1\.0 already/u)
  expect(() => releaseChangelog(released, "0.2.0", "2026-01-03")).toThrow(/section 0\.2\.0 already/u)
  expect(() => releaseChangelog("# Changelog\n", "0.2.0", "2026-01-03")).toThrow(/must have one section/u)
})

it("has a changelog with one section of unreleased changes, and sections of versions from new to old", () => {
  const [unreleased, ...released] = [...read("CHANGELOG.md").matchAll(/^## (.+)$/gmu)].map(([, heading]) => heading!)
  expect(unreleased).toBe("Unreleased")
  const versions = released.map((heading) => /^(\S+)( \(\d{4}-\d\d-\d\d\))?$/u.exec(heading)![1]!)
  expect(versions).toEqual(versions.toSorted((a, b) => compareVersions(b, a)))
  expect(versions).toContain(version)
})

const locked: LockedPackages = {
  "": { name: "root" },
  "packages/app": {
    name: "@tapeline/app",
    version: "1.0.0",
    dependencies: { a: "1", b: "1" },
    peerDependencies: { peer: "1", none: "1" },
    peerDependenciesMeta: { none: { optional: true } }
  },
  "packages/tool": { name: "@tapeline/tool", version: "1.0.0", dependencies: { c: "1" } },
  "node_modules/@tapeline/app": { link: true, resolved: "packages/app" },
  "node_modules/a": { version: "1.0.0", license: "MIT", dependencies: { b: "2" }, optionalDependencies: { gone: "1" } },
  "node_modules/a/node_modules/b": { version: "2.0.0", license: "GPL-3.0-only", dependencies: { d: "1" } },
  "node_modules/b": { version: "1.0.0", license: "ISC" },
  "node_modules/c": { version: "1.0.0", license: "AGPL-3.0-only" },
  "node_modules/d": { version: "1.0.0", dependencies: { "@tapeline/app": "1" } },
  "node_modules/none": { version: "1.0.0" },
  "node_modules/peer": { version: "1.0.0", license: "MIT" },
  "packages/app/node_modules/b": { version: "1.5.0", license: "ISC" }
}

it("finds the copies of dependencies that Node loads, and required peers, and no development dependencies", () => {
  const found = findRuntimePackages(locked, ["packages/app"])
  expect([...found.values()].map(({ name, version }) => `${name}@${version}`).sort())
    .toEqual(["@tapeline/app@1.0.0", "a@1.0.0", "b@1.5.0", "b@2.0.0", "d@1.0.0", "peer@1.0.0"])
  expect(findForbiddenLicences(found.values())).toEqual(["b@2.0.0: GPL-3.0-only", "d@1.0.0: no licence"])
  expect(findForbiddenLicences(findRuntimePackages(locked, ["packages/app"], { "packages/app": ["c"] }).values()))
    .toContain("c@1.0.0: AGPL-3.0-only")
  expect(() => findRuntimePackages({ x: { dependencies: { y: "1" } } }, ["x"])).toThrow(/lacks y/u)
})

it("permits a choice with one permitted licence, and a combination of permitted licences", () => {
  for (const licence of ["MIT", "(MIT AND Zlib)", "(AFL-2.1 OR BSD-3-Clause)", "GPL-2.0-only OR MIT"]) {
    expect(isPermittedLicence(licence), licence).toBe(true)
  }
  for (const licence of [undefined, "", "GPL-3.0-only", "(MIT AND GPL-3.0-only)", "SEE LICENSE IN LICENSE", "Mit"]) {
    expect(isPermittedLicence(licence), licence).toBe(false)
  }
})

it("has only permitted licences in the lock file's runtime packages, among them the packages in the console", () => {
  const packages = [...listRuntimePackages().values()]
  expect(findForbiddenLicences(packages)).toEqual([])
  const names = packages.map(({ name }) => name)
  for (const name of ["effect", "react-dom", "@fontsource/ibm-plex-mono", "undici"]) expect(names).toContain(name)
  for (const name of ["vite", "typescript", "@redocly/cli"]) expect(names).not.toContain(name)
})

it("selects the components of an application with their dependencies", () => {
  const component = (reference: string) => ({ "bom-ref": reference, name: "folder" })
  const sbom: Sbom = {
    metadata: { component: component("root@1.0.0") },
    components: ["@tapeline/app@1.0.0", "a@1.0.0", "a@1.0.0", "vite@1.0.0"].map(component),
    dependencies: [
      { ref: "@tapeline/app@1.0.0", dependsOn: ["a@1.0.0", "vite@1.0.0"] },
      { ref: "vite@1.0.0", dependsOn: ["a@1.0.0"] }
    ]
  }
  const packages = [
    { name: "@tapeline/app", version: "1.0.0", license: "MIT" },
    { name: "a", version: "1.0.0", license: "MIT" }
  ]
  expect(selectComponents(sbom, "@tapeline/app", packages)).toMatchObject({
    metadata: { component: { "bom-ref": "@tapeline/app@1.0.0", name: "@tapeline/app", type: "application" } },
    components: [{ "bom-ref": "a@1.0.0", name: "a" }],
    dependencies: [{ ref: "@tapeline/app@1.0.0", dependsOn: ["a@1.0.0"] }]
  })
  const other = { name: "b", version: "1.0.0", license: "MIT" }
  expect(() => selectComponents(sbom, "@tapeline/app", [...packages, other])).toThrow(/lacks b@1\.0\.0/u)
  expect(withDependencies(["server"], listPublishedPackages()).length).toBeGreaterThan(10)
})

it("reports vulnerabilities of runtime packages by severity, and an unavailable audit service", () => {
  const report = {
    auditReportVersion: 2,
    vulnerabilities: {
      a: { severity: "high", range: "<2", via: [{ title: "Reads any file" }] },
      b: { severity: "moderate", range: "*", via: ["a"] },
      vite: { severity: "critical", range: "*", via: [] }
    }
  }
  const packages = ["a", "b"].map((name) => ({ name, version: "1.0.0", license: "MIT" }))
  expect(parseAudit(JSON.stringify(report), packages)).toEqual({
    severe: ["a <2 (high): Reads any file"],
    other: ["b * (moderate): through a"]
  })
  expect(parseAudit(JSON.stringify({ vulnerabilities: {} }), packages)).toEqual({ severe: [], other: [] })
  const unavailable = { message: "405 Method Not Allowed", error: { summary: "", detail: "" } }
  expect(parseAudit(JSON.stringify(unavailable), packages)).toEqual({ unavailable: "405 Method Not Allowed" })
  for (const output of ["", "no json", "{}", "null"]) expect(parseAudit(output, packages)).toHaveProperty("unavailable")
})
