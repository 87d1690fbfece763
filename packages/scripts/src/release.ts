// Writes the version of a release into every manifest and into CHANGELOG.md: `npm run release -- 0.2.0`. A maintainer
// then reviews, commits and tags the change, as docs/releasing.md describes.
import { prepareRelease } from "./release/version.ts"

const [version, ...others] = process.argv.slice(2)
if (version === undefined || others.length > 0) {
  console.error("Give one version: npm run release -- 0.2.0")
  process.exit(1)
}
try {
  prepareRelease(version, new Date().toISOString().slice(0, 10))
  console.log(`The files have version ${version}. Review them with \`git diff\`, then commit and tag them:`)
  console.log(
    `  git commit --all --message "Release ${version}"\n  git tag --sign v${version} --message "Tapeline ${version}"`
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
