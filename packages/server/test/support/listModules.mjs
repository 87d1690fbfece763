// Loaded before a server's own program. Records every loaded module, also in threads.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"

registerHooks({
  load: (url, context, next) => {
    appendFileSync(process.env.LISTED_MODULES, `${url}\n`)
    return next(url, context)
  }
})
