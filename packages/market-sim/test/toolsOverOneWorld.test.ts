/** All tests are in one file, so that one worker computes the shared data only once: months of prices of one world. */
import "./toolsOverOneWorld/gappyTools.ts"
import "./toolsOverOneWorld/upstreamFaults.ts"
import "./toolsOverOneWorld/everyTool.ts"
