// Builds the documentation site from `docs`: `npm run docs:site` into `site/dist` for the path `/docs/guide/`, or with
// `-- --publish <folder> --base /tapeline/` into a folder of the current version, next to other published versions.
import { parseArgs } from "node:util"
import { buildSite, publishSite } from "./site/buildSite.ts"

const readArguments = () => {
  try {
    return parseArgs({ options: { base: { type: "string" }, publish: { type: "string" } } }).values
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}

const { base, publish } = readArguments()
if (base !== undefined && !/^\/(.+\/)?$/u.test(base)) {
  console.error(`--base is ${base}: give the path of the site, with a slash at both ends, such as /tapeline/`)
  process.exit(1)
}
const folder = publish === undefined ? await buildSite({ base }) : await publishSite(publish, base)
console.log(`The site is in ${folder}`)
