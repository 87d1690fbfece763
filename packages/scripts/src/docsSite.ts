// Builds the documentation site from `docs`: `npm run docs:site` into `site/dist` for the path `/docs/guide/`, or with
// `-- --publish <folder> --base /tapeline/` into a folder of the current version, next to other published versions.
import { parseArgs } from "node:util"
import { buildSite, publishSite } from "./site/buildSite.ts"

const { values: { base, publish } } = parseArgs({ options: { base: { type: "string" }, publish: { type: "string" } } })
if (base !== undefined && !/^\/(.+\/)?$/u.test(base)) {
  console.error(`--base is ${base}: give the path of the site, with a slash at both ends, such as /tapeline/`)
  process.exit(1)
}
const folder = publish === undefined ? await buildSite({ base }) : await publishSite(publish, base)
console.log(`The site is in ${folder}`)
