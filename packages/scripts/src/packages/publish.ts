import { spawnSync } from "node:child_process"
import type { RepositoryPackage } from "../manifest.ts"

/** The address of no registry, so that a run without a network finds the same problems. */
const noRegistry = "http://127.0.0.1:9"

/**
 * Publishes each package without sending it. Fails if npm corrects the manifest, would publish other files than the
 * built ones, or would publish the package for members of an organisation only.
 */
export const checkPublication = (
  packages: ReadonlyArray<RepositoryPackage>,
  tarballs: ReadonlyArray<string>
): void => {
  packages.forEach(({ manifest: { name, publishConfig, version } }, index) => {
    const tarball = tarballs[index]!
    const { status, stderr, stdout } = spawnSync(
      "npm",
      ["publish", "--dry-run", "--json", `--registry=${noRegistry}`, "--fetch-retries=0", tarball],
      { encoding: "utf8" }
    )
    const fail = (reason: string) => new Error(`npm publish --dry-run of ${name}: ${reason}\n${stderr}`)
    if (status !== 0) throw fail("failed")
    if (stderr.includes("auto-corrected")) throw fail("npm corrects the manifest")
    if (!stderr.includes("with tag latest and public access")) throw fail("the package would not be public")
    if (publishConfig?.provenance !== true) throw fail("the package would have no provenance")
    // npm writes the report, and the next line checks its fields.
    const report = (JSON.parse(stdout) as Readonly<
      Record<string, { readonly id: string; readonly files: ReadonlyArray<{ readonly path: string }> }>
    >)[name]
    if (report?.id !== `${name}@${version}`) throw fail(`npm would publish ${report?.id}`)
    const paths = report.files.map(({ path }) => path)
    const unexpected = paths.filter((path) => /(?<!\.d)\.ts$|\.map$|(^|\/)(test|node_modules)\//u.test(path))
    if (unexpected.length > 0) throw fail(`npm would publish ${unexpected.join(", ")}`)
    for (const required of ["LICENSE", "README.md", "package.json"]) {
      if (!paths.includes(required)) throw fail(`the package lacks ${required}`)
    }
  })
}
