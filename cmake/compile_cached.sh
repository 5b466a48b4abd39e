#!/bin/sh
# compile_cached.sh <tree> <compiler> <argument>...: a compiler behind ccache, so that build folders and copies of the tree share objects:
# ccache sees paths that are relative to the tree.
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=1 CCACHE_INODECACHE=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
shift
# gcc reads the header that it compiled before where one is there, and ccache then has a key that holds in no other folder. A compiled header
# also keeps the sums of the files that it read, comments and all: ccache may not take it by what the preprocessor leaves of them.
for argument; do
  case $argument in *.gch) rm -f "$argument"; export CCACHE_DEPEND=1 ;; esac
done
exec ccache "$@"
