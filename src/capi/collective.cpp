#include "capi/collective.h"

#include "capi/check.h"
#include "capi/choices.h"
#include "capi/structs.h"

namespace pintle::capi {

Result<Collective> collective_of(const pintle_collective* operation) {
  PINTLE_ASSIGN(in, readable(operation, "pintle_collective"));
  PINTLE_ASSIGN(kind, enumerator(in->kind, Collective::Kind::barrier, "kind of operation"));
  PINTLE_ASSIGN(op, enumerator_or(ReduceOp::sum, in->op, ReduceOp::logical_xor, "operator"));
  PINTLE_ASSIGN(algorithm, enumerator_or(Algorithm::automatic, in->algorithm, Algorithm::native, "algorithm"));
  PINTLE_ASSIGN(is_reproducible, flag_of(in->is_reproducible, "is_reproducible"));
  Collective out;
  out.kind = kind;
  out.op = op;
  out.rank = in->rank;
  out.algorithm = algorithm;
  out.is_reproducible = is_reproducible;
  return out;
}

Result<void> give_memory(Collective& operation, const Collective::Target& to, const Collective::Source& from,
                         bool has_from) {
  const bool is_broadcast = operation.kind == Collective::Kind::broadcast;
  if (is_broadcast && has_from)
    return Error(Errc::invalid_argument, "A broadcast has its elements in [to] on every rank; [from] is not NULL.");
  operation.to = to;
  operation.from = is_broadcast ? Collective::Source(to) : from;
  return {};
}

}  // namespace pintle::capi
