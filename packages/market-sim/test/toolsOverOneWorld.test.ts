/** In one file, so that one worker computes what all of them ask: months of every coin and stock of one world. */
import "./toolsOverOneWorld/patchyTools.ts"
import "./toolsOverOneWorld/upstreamFaults.ts"
import "./toolsOverOneWorld/everyTool.ts"
