import { expect, it } from "vitest"
import { listPublishedPackages } from "../src/manifest.ts"
import { withDependencies } from "../src/packages/withDependencies.ts"

const namesOf = (...names: ReadonlyArray<string>) =>
  withDependencies(names, listPublishedPackages()).map(({ folderName }) => folderName)

it("packs the named packages and the workspace packages that they depend on", () => {
  expect(namesOf("core", "market-sim", "postgres")).toEqual(["core", "market-sim", "postgres", "quant"])
  expect(namesOf("@tapeline/quant", "quant")).toEqual(["quant"])
  expect(namesOf("server")).toEqual(expect.arrayContaining(["api", "core", "http", "mcp", "quant", "server"]))
})

it("packs every package if no name is given, and lists the packages for an unknown name", () => {
  expect(namesOf()).toEqual(listPublishedPackages().map(({ folderName }) => folderName))
  expect(() => namesOf("cores")).toThrow(/^There is no package cores; there are .*core, .*server/)
})

it("pins no peer dependency to one version", () => {
  const peers = listPublishedPackages().flatMap(({ manifest: { name, peerDependencies = {} } }) =>
    Object.entries(peerDependencies).map(([peer, range]) => `${name}: ${peer}@${range}`)
  )
  expect(peers.filter((peer) => !/@(\^|~|>=)[^@]*$/.test(peer))).toEqual([])
})
