import { XMLParser } from "fast-xml-parser"

/** Deeper than any source nests. */
const deepest = 40

/** A document of its own grammar may define entities out of entities, which unpack to more than a machine holds. */
const definesGrammar = (text: string): boolean => /<!(doctype|entity)/iu.test(text)

/**
 * What an XML document holds: elements by their names, without their namespaces' prefixes, and texts as texts. Their
 * attributes are left out. Elements of the names in `lists` are lists, however many there are. Undefined of what is no
 * XML, and of what defines a grammar of its own, which no source of data needs.
 */
export const xmlOf = (lists: ReadonlyArray<string>) => {
  const parser = new XMLParser({
    ignoreAttributes: true,
    removeNSPrefix: true,
    parseTagValue: false,
    trimValues: true,
    htmlEntities: true,
    maxNestedTags: deepest,
    isArray: (name) => lists.includes(name)
  })
  return (text: string): unknown => {
    if (definesGrammar(text)) return undefined
    try {
      // Whatever it is, it is decoded by a schema before it is used.
      return parser.parse(text, true) as unknown
    } catch {
      return undefined
    }
  }
}
