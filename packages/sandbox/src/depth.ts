/**
 * Returns the nesting depth of a JSON text. Scans the text, because parsing deeply nested JSON could itself do harm.
 */
export const depthOf = (json: string): number => {
  let depth = 0
  let deepest = 0
  let inText = false
  for (let i = 0; i < json.length; i++) {
    const c = json[i]
    if (inText) {
      if (c === "\\") i++
      else if (c === "\"") inText = false
    } else if (c === "\"") inText = true
    else if (c === "{" || c === "[") deepest = Math.max(deepest, ++depth)
    else if (c === "}" || c === "]") depth--
  }
  return deepest
}
