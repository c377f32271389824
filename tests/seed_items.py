"""What the five seeds name: every field, formula, threshold, API name, setting and criterion.

Read from the seeds by hand; the key is the heading in docs/seeds.md, the value its items in order.
"""

from __future__ import annotations

ITEMS: dict[str, str] = {
    "A §1 Goals": ("1.1-long-term 1.1-patterns 1.1-self-correction 1.2-coordinate"),
    "A §3.1 MemoryCoordinate": (
        "memory_id timestamp time.session_id time.sequence time.relative_time_minutes "
        "space.project space.domain space.file_context space.depth_index agent.persona_id "
        "agent.persona_name agent.role agent.backend emotion.affect_amplitude "
        "emotion.sentiment_score emotion.confidence emotion.keywords content.type "
        "content.prompt_digest content.response_full content.response_summary content.token_count "
        "metadata.importance metadata.tags metadata.user_rating metadata.phase_injection_applied "
        "metadata.error_occurred metadata.bqi_snapshot relations.parent_memory_id "
        "relations.child_memory_ids relations.related_memory_ids"
    ),
    "A §3.2 MemoryIndex": (
        "index_version last_updated total_memories keyword_index time_index persona_index "
        "importance_index"
    ),
    "A §3.3 Resonance ledger": (
        "timestamp session_id event_type bqi_coordinate.time bqi_coordinate.space "
        "bqi_coordinate.agent bqi_coordinate.emotion bqi_coordinate.rhythm_phase impact_score "
        "transparency reproducibility verifiability memory_refs plan_adjustment persona_id "
        "memory_id evaluation exempt-from-forgetting"
    ),
    "A §4.1 Files": (
        "sessions/*.jsonl index.json config.json resonance_ledger/ledger-YYYYMMDD.jsonl"
    ),
    "A §4.2 config.json": (
        "max_sessions max_memories_per_session max_total_size_mb archive_after_days "
        "delete_after_days storage.format storage.compression storage.backup_enabled "
        "storage.backup_path"
    ),
    "A §5 and §6.1 API": (
        "MemoryStore.add MemoryStore.search search.query search.time_range search.persona_id "
        "search.domain search.min_importance search.tags search.bqi_filters search.limit "
        "MemoryStore.get_recent MemoryStore.get_by_session MemoryStore.get_by_id "
        "MemoryStore.get_all_session_ids MemoryStore.apply_retention_policy "
        "MemoryStore.delete_by_id MemoryStore.delete_by_session MemoryStore.delete_by_query"
    ),
    "A §5.2 Search algorithm": (
        "keyword time-range persona importance bqi newest-first limit 5000-in-100ms"
    ),
    "A §6.1 Automatic forgetting": (
        "auto_forget oldest-session-below-0.3 size-by-importance last-7-days-protected "
        "archive-compressed"
    ),
    "A §6.2 Importance": (
        "calculate_importance base-0.3 rating/5·0.3 min(0.05·references,0.2) abs(sentiment)·0.2 "
        "clamp at-save every-midnight"
    ),
    "A §7 PersonaOrchestrator": (
        "PersonaOrchestrator PersonaRegistry BackendFactory PhaseController bqi.analyse "
        "estimate_sentiment extract_emotion_keywords memory_store resonance_ledger session_id "
        "_run_recursive _create_memory_coordinate ResonanceLedger.log_event "
        "compose_prompt_with_memory"
    ),
    "A §9 Success criteria": ("9.1-1 9.1-2 9.1-3 9.1-4 9.1-5 9.2-1 9.2-2 9.2-3"),
    "A §10 Open questions": ("10.1-storage 10.2-when 10.3-rating 10.4-users"),
    "A §11 Next steps": ("11-1 11-2 11-3 11-4 11-5 11-6 11-7"),
    "B §3 Types": (
        "NodeType.query NodeType.answer NodeType.feedback NodeType.entity EdgeType.similar_to "
        "EdgeType.responded_with EdgeType.has_feedback EdgeType.refers_to_entity BaseNode.id "
        "BaseNode.type BaseNode.text BaseNode.canonicalKey BaseNode.embedding BaseNode.createdAt "
        "BaseNode.lastAccess BaseNode.weights.repeat BaseNode.weights.feedback BaseNode.degree "
        "BaseNode.pinned Edge.id Edge.from Edge.to Edge.type Edge.weight Edge.createdAt "
        "Edge.lastAccess EmbeddingProvider.embed EmbeddingProvider.exportState "
        "EmbeddingProvider.importState"
    ),
    "B D2 Embedder": (
        "ngramRange dim seed hashAlgo normVersion l2-cosine sparse-bow cosineSparse canonicalKey "
        "serialize-sparse state-in-snapshot"
    ),
    "B §3 GraphStore": (
        "upsertQuery recordFeedback adjustWeights searchSimilarQueries link toSnapshot "
        "fromSnapshot saveToFile saveToFile.onlyIfDirty loadFromFile stats"
    ),
    "B §3 MemoryOrchestrator": (
        "getSessionStore getAgentStore upsertQuery recordFeedback search finalizeSession "
        "finalizeSession.promote finalizeSession.checkpoint finalizeSession.checkpointName "
        "gcSessions getActiveSessions upsertEntity agent-graph-shared"
    ),
    "B §4.1 Graph rules": (
        "edge-key rank recency evict-nodes evict-edges decay-when-computed periodic-decay "
        "sqlite-ann inverted-index write-queue batched-io"
    ),
    "B §4.4 Checkpoint": (
        "version agentId sessionId createdAt topQueries edges embedderState "
        "canonicalMeta.normVersion canonicalMeta.hashAlgo canonicalMeta.seed"
    ),
    "B cfg": (
        "sessionGraph.maxNodes sessionGraph.maxEdges sessionGraph.halfLifeMin sessionGraph.tauDup "
        "sessionGraph.tauSim sessionGraph.protectMinDegree sessionGraph.enableInvertedIndex "
        "agentGraph.maxNodes agentGraph.maxEdges agentGraph.halfLifeMin agentGraph.tauDup "
        "agentGraph.tauSim agentGraph.protectMinDegree agentGraph.enableInvertedIndex "
        "promotion.minRank promotion.maxPromotions promotion.minDegree promotion.carryWeights "
        "checkpoint.outDir checkpoint.topK checkpoint.pretty searchBiasSessionFirst"
    ),
    "B Acceptance criteria": ("D1-1 D1-2 D1-3 D1-4 D2-1 D2-2 D3-1 D3-2 D3-3 D4-1 D4-2"),
    "C Layer 1 Decision": (
        "SAVE SKIP RETRIEVE phase-0 phase-1 phase-2 importance≥0.7 importance≤0.1 weight-personal "
        "weight-preference weight-technical weight-emotion weight-keyword-density mlp-10-64-3 "
        "epsilon turn_position memory_count keyword_count is_question has_personal_info "
        "has_preference has_tech has_emotion recent_save_count recent_retrieve_count "
        "enhanced-778-256-128-3 dropout replay-capacity replay-batch progressive-autonomy"
    ),
    "C Layer 2 Retrieval": (
        "vector-search reranker_pool_size graph-traversal fusion-0.6-0.4 reranker-11-32-1 "
        "chroma_similarity keyword_overlap category_match recency access_frequency "
        "content_length_ratio has_related resolution_available graph_connection_count "
        "graph_hop_distance has_negative_relation token-budget-1024 mmr level-0 level-1 level-2"
    ),
    "C Layer 3 Storage": (
        "memory_id content keywords category related_ids created_at access_count level1_text "
        "level2_text immutable pinned active embedding-model cosine-hnsw persistent "
        "knowledge-graph multi-hop-1-3 negative-relation sync-on-save-and-delete"
    ),
    "C Layer 4 Sleep": (
        "consolidation-0.92 survivor-by-access resolution-regeneration strength shrink<0.3 "
        "dormant<0.1 delete-after-30-days audit pinned-immutable-protected checkpoint"
    ),
    "C Layer 5 Reward": (
        "explicit-positive explicit-negative conversation-continues topic-extends short-indifferent"
    ),
    "C Layer 6 Federation": ("l2-clipping differential-privacy krum rule-hash gossip"),
    "C MCP tools": (
        "auto_search memory_save memory_search memory_update memory_delete memory_get_related "
        "memory_pin memory_unpin memory_stats sleep_cycle_run policy_status policy_decide"
    ),
    "C Environment": (
        "AIMEMORY_DB_PATH AIMEMORY_LANGUAGE AIMEMORY_EMBEDDING_MODEL AIMEMORY_LOG_LEVEL "
        "AIMEMORY_ENHANCED_POLICY AIMEMORY_GRAPH_RAG"
    ),
    "C Configuration classes": (
        "AppConfig OnlinePolicyConfig OnlinePolicyConfig.thresholds OnlinePolicyConfig.epsilon "
        "OnlinePolicyConfig.lr ReRankerConfig ReRankerConfig.feature_dim "
        "ReRankerConfig.latency_budget MCPServerConfig MCPServerConfig.token_budget "
        "MCPServerConfig.top_k ForgettingConfig ForgettingConfig.thresholds "
        "ForgettingConfig.decay_lambda "
        "ComposerConfig ComposerConfig.budget ComposerConfig.tokens-per-level SleepCycleConfig "
        "SleepCycleConfig.interval SleepCycleConfig.reports GossipConfig GossipConfig.interval "
        "GossipConfig.dp SecurityConfig SecurityConfig.rules RewardConfig RewardConfig.weights "
        "SelfPlayConfig SelfPlayConfig.simulation OllamaConfig OllamaConfig.model "
        "OllamaConfig.max_tokens DatasetConfig DatasetConfig.shares DataPaths DataPaths.paths"
    ),
    "C Principles": (
        "quality-of-storage-first additive graceful-degradation local-first bilingual"
    ),
    "D §1 Memory": (
        "id content tier emotions intensity createdAt expiresAt promotedFrom referenceCount "
        "lastReferencedAt personalityIsland source M30 M90 M365 M0 ttl-to-queue M0-needs-approval "
        "orbs-in-and-out"
    ),
    "D §2 Feelings": (
        "joy sadness anger fear disgust anxiety envy ennui nostalgia neutral blend "
        "intensity-promotes intensity-replays intensity-forms-the-self own-sentences"
    ),
    "D §3 Promotion and distillation": (
        "M30→M90-theme-3 M30→M90-referenced-3 M30→M90-intensity-0.7 M30→M90-remember-this "
        "M90→M365-referenced-5 M90→M365-behaviour M90→M365-intensity-0.8 M90→M365-island "
        "M365→M0-never-automatic M365→M0-one-year M365→M0-referenced-10 M365→M0-self "
        "M365→M0-founds-an-island distillation workers-daily workers-weekly workers-monthly "
        "workers-yearly"
    ),
    "D §4 Islands": (
        "PersonalityIsland.id PersonalityIsland.name PersonalityIsland.emoji "
        "PersonalityIsland.description PersonalityIsland.foundingMemories "
        "PersonalityIsland.status PersonalityIsland.strength SOUL.md shaking warning "
        "collapsed-after-7-days rebuilding"
    ),
    "D §5 Sense of self": (
        "SenseOfSelf.beliefs SenseOfSelf.lastUpdated SenseOfSelf.version Belief.id "
        "Belief.statement Belief.confidence Belief.supportingMemories Belief.personalityIsland "
        "Belief.formedAt extraction diff-and-notice approval refusal-lowers-confidence "
        "agent-cannot-change 30-percent-blocked version-history M0-recomputes"
    ),
    "D §6 Forgetting queue": (
        "ForgettingQueue.memories ForgettingEntry.memory ForgettingEntry.enteredAt "
        "ForgettingEntry.expiresAt ForgettingEntry.reason not-at-once 7-days visible restore "
        "deleted-after panel"
    ),
    "D §7 Imagination": (
        "Imagination.trigger Imagination.memories_used Imagination.scenario Imagination.action "
        "trigger-idle trigger-context trigger-time three-a-day recorded-as-M30 liked-grows "
        "ignored-shrinks"
    ),
    "D §9 Phases": (
        "1-schema 1-ttl 1-queue 2-promotion 2-distillation 2-cron 3-islands 4-self 5-imagination "
        "6-ui 6-promotion-notice"
    ),
    "E 1-1 knowledge_nodes": (
        "id content memory_type source_type importance confidence platform author created_at "
        "last_accessed_at access_count embedding metadata_json knowledge_nodes_fts fts-triggers"
    ),
    "E 1-1 Other tables": (
        "knowledge_edges.source_id knowledge_edges.target_id knowledge_edges.relation "
        "knowledge_edges.weight knowledge_edges.created_at knowledge_edges.unique "
        "entity_profiles.platform entity_profiles.entity_name entity_profiles.entity_type "
        "entity_profiles.display_name entity_profiles.summary entity_profiles.interests_json "
        "entity_profiles.personality_notes entity_profiles.first_seen_at "
        "entity_profiles.last_interaction_at entity_profiles.interaction_count "
        "entity_profiles.sentiment entity_profiles.sentiment_score entity_profiles.trust_level "
        "entity_profiles.embedding entity_profiles.unique sentiment_history.entity_profile_id "
        "sentiment_history.timestamp sentiment_history.sentiment_label "
        "sentiment_history.sentiment_score sentiment_history.context consolidation_log.timestamp "
        "consolidation_log.operation consolidation_log.details_json "
        "consolidation_log.nodes_affected memory_sessions.platform memory_sessions.started_at "
        "memory_sessions.ended_at memory_sessions.turn_count memory_sessions.summary "
        "memory_sessions.topic indexes"
    ),
    "E 1-2 Models": (
        "MemoryType.fact MemoryType.preference MemoryType.triple MemoryType.insight "
        "MemoryType.episode SourceType.auto_capture SourceType.llm_extract SourceType.reflection "
        "SourceType.user_explicit KnowledgeNodeCreate KnowledgeNode KnowledgeEdge "
        "EntityProfileCreate EntityProfile RetrievalResult ExtractionResult"
    ),
    "E 1-3 Repository": (
        "MemoryStoreRepository add_node get_node get_nodes_by_ids touch_node "
        "update_node_importance delete_node get_embedding_candidates get_nodes_for_pruning "
        "get_nodes_for_merging fts_search add_edge get_neighbors get_connected_nodes "
        "upsert_entity get_entity increment_interaction update_entity_summary "
        "update_entity_sentiment get_frequent_entities add_sentiment_entry "
        "get_sentiment_trajectory log_consolidation start_session end_session "
        "increment_session_turns"
    ),
    "E 1-4 MemoryConfig": (
        "extraction_enabled extraction_min_importance reflection_enabled reflection_threshold "
        "evolution_enabled evolution_interval_hours merge_similarity_threshold "
        "prune_importance_threshold recency_half_life_days context_total_budget retrieval_limit "
        "fts_enabled graph_max_hops"
    ),
    "E 1-5 Scoring and tokens": (
        "token_counter compute_recency compute_combined_score weight-recency-0.3 "
        "weight-relevance-0.5 weight-importance-0.2"
    ),
    "E Phase 2 Hybrid retrieval": (
        "HybridRetriever EmbeddingService vector-search fts-search graph-expansion "
        "fusion-vector-0.5 fusion-fts-0.3 fusion-graph-0.2 touch sanitize"
    ),
    "E Phase 3 Extraction": (
        "MemoryExtractor AutoCaptureService korean-json-prompt thresholds duplicate-by-embedding "
        "entity-edges regex-and-llm set_extractor_callback"
    ),
    "E Phase 4 Evolution and reflection": (
        "MemoryEvolver ReflectionEngine merge merge-cap-500 prune every-6-hours reflect-after-20 "
        "group insight derived_from profile-summary"
    ),
    "E Phase 5 Context and facade": (
        "ContextAssembler system_prompt-15 entity_profile-10 memories-20 few_shot-5 "
        "user_content-40 response_reserve-10 redistribute MemoryFacade MemoryService "
        "remember_post remember_interaction get_context_for_post recall_related recall_bot "
        "get_frequent_contacts retrieve_memories extract_and_store get_entity_profile "
        "run_maintenance on_new_post on_comment_posted on_notification on_bot_response "
        "build_comment_prompt event-bus"
    ),
    "E Phase 6 Migration": (
        "bot_memory collected_info good_examples recorded-once first-run-in-the-background "
        "non-destructive"
    ),
    "E Verification": ("1 2 3 4 5 6 7 8 9"),
    "E Constraints": (
        "ollama-no-torch event-bus-kept prompt-builder-kept non-destructive-migration"
    ),
}
